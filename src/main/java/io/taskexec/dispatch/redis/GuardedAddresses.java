package io.taskexec.dispatch.redis;

import io.netty.resolver.AbstractAddressResolver;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import io.taskexec.dispatch.egress.EgressGuard;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks the egress guard for the address of each connection that a library of Netty opens, of literals too. */
final class GuardedAddresses extends AddressResolverGroup<InetSocketAddress> {
    private final EgressGuard guard;
    private final Duration patience;

    /** @param patience how long a name server may take */
    GuardedAddresses(EgressGuard guard, Duration patience) {
        this.guard = guard;
        this.patience = patience;
    }

    @Override
    protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
        return new Guarded(executor);
    }

    private final class Guarded extends AbstractAddressResolver<InetSocketAddress> {
        Guarded(EventExecutor executor) {
            super(executor, InetSocketAddress.class);
        }

        /** Never: what seems to need no resolving would be connected to without a check. */
        @Override
        protected boolean doIsResolved(InetSocketAddress address) {
            return false;
        }

        @Override
        protected void doResolve(InetSocketAddress asked, Promise<InetSocketAddress> answer) {
            var host = asked.getHostString();
            var late = executor()
                    .schedule(
                            () -> answer.tryFailure(new UnknownHostException(host)),
                            patience.toMillis(),
                            TimeUnit.MILLISECONDS);
            var _ = answer.addListener(_ -> late.cancel(false));
            var _ = guard.check(host)
                    .subscribe()
                    .with(
                            address -> answer.trySuccess(new InetSocketAddress(address, asked.getPort())),
                            answer::tryFailure);
        }

        @Override
        protected void doResolveAll(InetSocketAddress asked, Promise<List<InetSocketAddress>> answer) {
            var one = executor().<InetSocketAddress>newPromise();
            var _ = one.addListener(_ -> {
                if (one.isSuccess()) {
                    var _ = answer.trySuccess(List.of(one.getNow()));
                } else {
                    var _ = answer.tryFailure(one.cause());
                }
            });
            doResolve(asked, one);
        }
    }
}
