package io.taskexec.examples.cloudillo.federation;

import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.EllipticCurve;

/** ES384 (RFC 7518): ECDSA with the curve P-384 and SHA-384; signatures are 96 bytes. */
final class Es384 {
    static final String CURVE = "secp384r1";
    static final int COORDINATE_BYTES = 48;

    private static final String ALGORITHM = "SHA384withECDSAinP1363Format";

    private Es384() {}

    static byte[] sign(byte[] data, PrivateKey key) throws GeneralSecurityException {
        var signature = Signature.getInstance(ALGORITHM);
        signature.initSign(key);
        signature.update(data);
        return signature.sign();
    }

    static boolean verify(byte[] data, byte[] signed, PublicKey key) throws GeneralSecurityException {
        if (signed.length != 2 * COORDINATE_BYTES) {
            return false;
        }
        var signature = Signature.getInstance(ALGORITHM);
        signature.initVerify(key);
        signature.update(data);
        return signature.verify(signed);
    }

    /** Returns the key of a point, which must be one of the curve: others would make signatures forgeable. */
    static PublicKey publicKey(BigInteger x, BigInteger y) throws GeneralSecurityException {
        var curve = parameters();
        if (!isOn(curve.getCurve(), x, y)) {
            throw new GeneralSecurityException("The key is no point of the curve.");
        }
        return KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(new ECPoint(x, y), curve));
    }

    static PrivateKey privateKey(BigInteger d) throws GeneralSecurityException {
        return KeyFactory.getInstance("EC").generatePrivate(new ECPrivateKeySpec(d, parameters()));
    }

    private static ECParameterSpec parameters() throws GeneralSecurityException {
        var parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec(CURVE));
        return parameters.getParameterSpec(ECParameterSpec.class);
    }

    private static boolean isOn(EllipticCurve curve, BigInteger x, BigInteger y) {
        var p = ((ECFieldFp) curve.getField()).getP();
        var right = x.pow(3).add(curve.getA().multiply(x)).add(curve.getB());
        return x.signum() >= 0
                && y.signum() >= 0
                && x.compareTo(p) < 0
                && y.compareTo(p) < 0
                && y.pow(2).subtract(right).mod(p).signum() == 0;
    }
}
