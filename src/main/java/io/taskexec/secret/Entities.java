package io.taskexec.secret;

import java.util.HashMap;
import java.util.Map;

/** Decodes character references of HTML and XML: all numbers, and the names that encoders write. */
final class Entities {
    private static final int FIRST_OF_LATIN_1 = 160;
    private static final int MAX_DIGITS = 8;

    /** Of HTML 4, from U+00A0 on. */
    private static final String LATIN_1 =
            "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg "
                    + "macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34"
                    + " iquest "
                    + "Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc"
                    + " Iuml "
                    + "ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN"
                    + " szlig "
                    + "agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc"
                    + " iuml "
                    + "eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn"
                    + " yuml";

    /** Of HTML 5, each after its character. */
    private static final String PUNCTUATION =
            "!excl \"quot \"QUOT #num $dollar %percnt &amp &AMP 'apos (lpar )rpar *ast "
                    + "+plus ,comma .period /sol :colon ;semi <lt <LT =equals >gt >GT ?quest @commat [lsqb [lbrack"
                    + " \\bsol ]rsqb "
                    + "]rbrack ^Hat _lowbar `grave {lcub {lbrace |verbar |vert }rcub }rbrace \tTab \nNewLine";

    private static final Map<String, Integer> NAMES = names();

    private Entities() {}

    /** The code point of a reference, without its ampersand and semicolon; -1 when it is unknown. */
    static int codePoint(String reference) {
        if (!reference.startsWith("#")) {
            return NAMES.getOrDefault(reference, -1);
        }
        var isHex = reference.length() > 1 && (reference.charAt(1) == 'x' || reference.charAt(1) == 'X');
        var digits = reference.substring(isHex ? 2 : 1);
        if (digits.isEmpty() || digits.length() > MAX_DIGITS) {
            return -1;
        }
        var number = 0L;
        for (var i = 0; i < digits.length(); i++) {
            var digit = Character.digit(digits.charAt(i), isHex ? 16 : 10);
            if (digit < 0) {
                return -1;
            }
            number = number * (isHex ? 16 : 10) + digit;
        }
        return number > Character.MAX_CODE_POINT ? -1 : (int) number;
    }

    private static Map<String, Integer> names() {
        var names = new HashMap<String, Integer>();
        var latin = LATIN_1.split(" ", -1);
        for (var i = 0; i < latin.length; i++) {
            names.put(latin[i], FIRST_OF_LATIN_1 + i);
        }
        for (var each : PUNCTUATION.split(" ", -1)) {
            names.put(each.substring(1), (int) each.charAt(0));
        }
        return Map.copyOf(names);
    }
}
