package io.taskexec.lease;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Shares out what one claim may bring among those that wait: each gets one execution in its turn, and takes the
 * endpoints that it asks for in turns as well.
 */
final class Allocation {
    private final int first;
    private final int size;
    private final Map<String, int[]> shares = new HashMap<>();

    /**
     * A caller that waits.
     *
     * @param room how many it still takes
     */
    record Want(List<String> endpoints, int room) {}

    private Allocation(int first, int size) {
        this.first = first;
        this.size = size;
    }

    /**
     * Shares out at most {@code most} executions.
     *
     * @param empty endpoints without due executions
     * @param turn another number for each claim, so that others are first
     */
    static Allocation of(List<Want> wants, Set<String> empty, int turn, int most) {
        var size = wants.size();
        var allocation = new Allocation(size == 0 ? 0 : Math.floorMod(turn, size), size);
        var endpoints = wants.stream()
                .map(want -> want.endpoints().stream()
                        .filter(endpoint -> !empty.contains(endpoint))
                        .toList())
                .toList();
        var room = wants.stream().mapToInt(Want::room).toArray();
        var left = most;
        for (var round = turn; allocation.takesMore(endpoints, room) && left > 0; round++) {
            for (var i = 0; i < size && left > 0; i++) {
                var caller = (allocation.first + i) % size;
                var choice = endpoints.get(caller);
                if (room[caller] > 0 && !choice.isEmpty()) {
                    allocation.give(caller, choice.get(Math.floorMod(round, choice.size())));
                    room[caller]--;
                    left--;
                }
            }
        }
        return allocation;
    }

    private boolean takesMore(List<List<String>> endpoints, int[] room) {
        for (var caller = 0; caller < size; caller++) {
            if (room[caller] > 0 && !endpoints.get(caller).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private void give(int caller, String endpoint) {
        shares.computeIfAbsent(endpoint, _ -> new int[size])[caller]++;
    }

    /** How many executions to claim, by endpoint. */
    Map<String, Integer> limits() {
        return shares.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        share -> Arrays.stream(share.getValue()).sum()));
    }

    /** The callers, beginning with the one whose turn it is. */
    <T> List<T> inTurn(List<T> callers) {
        var turned = new ArrayList<>(callers);
        Collections.rotate(turned, -first);
        return turned;
    }

    /** The callers that get so many executions of an endpoint, in their order. */
    List<Integer> deal(String endpoint, int executions) {
        var left = shares.getOrDefault(endpoint, new int[size]).clone();
        var sum = Arrays.stream(left).sum();
        var dealt = new ArrayList<Integer>(executions);
        for (var i = 0; dealt.size() < Math.min(executions, sum); i++) {
            var caller = (first + i) % size;
            if (left[caller] > 0) {
                left[caller]--;
                dealt.add(caller);
            }
        }
        return dealt;
    }
}
