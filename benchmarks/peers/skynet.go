// SPDX-License-Identifier: MIT

// Skynet on goroutines: one per node, a channel per parent, as in the original. Requests and answers are those of serve.h.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const children = 10

// How many nodes have been executed for a result: counting costs no shared word.
type result struct{ sum, executed int64 }

func node(out chan<- result, ordinal, leaves int64) {
	if leaves == 1 {
		out <- result{ordinal, 1}
		return
	}
	results := make(chan result)
	below := leaves / children
	for i := int64(0); i < children; i++ {
		go node(results, ordinal+i*below, below)
	}
	own := result{0, 1}
	for i := 0; i < children; i++ {
		child := <-results
		own.sum += child.sum
		own.executed += child.executed
	}
	out <- own
}

func grow(leaves int64) int64 {
	out := make(chan result)
	go node(out, 0, leaves)
	total := <-out
	require(total == result{leaves * (leaves - 1) / 2, nodes(leaves)}, "all nodes, and the right sum")
	return total.executed
}

func nodes(leaves int64) (count int64) {
	for ; leaves > 0; leaves /= children {
		count += leaves
	}
	return
}

func require(condition bool, what string) {
	if !condition {
		fmt.Fprintln(os.Stderr, "not so:", what)
		os.Exit(1)
	}
}

func usage() (cpu time.Duration, switches int64) {
	var u syscall.Rusage
	require(syscall.Getrusage(syscall.RUSAGE_SELF, &u) == nil, "usage")
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), u.Nvcsw + u.Nivcsw
}

func answer(row string, iterations int64) {
	leaves, err := strconv.ParseInt(strings.TrimPrefix(row, "skynet/"), 10, 64)
	require(err == nil && iterations > 0, "a row of the table")
	grow(leaves)
	var executed int64
	cpu, switches := usage()
	start := time.Now()
	for i := int64(0); i < iterations; i++ {
		executed += grow(leaves)
	}
	elapsed := time.Since(start)
	cpuAfter, switchesAfter := usage()
	per := float64(iterations)
	fmt.Printf("{\"row\":%q,\"contender\":\"go\",\"ns\":%.1f,\"cpu_ns\":%.1f,\"switches\":%.4f,\"executed\":%d}\n", row,
		float64(elapsed)/per, float64(cpuAfter-cpu)/per, float64(switchesAfter-switches)/per, executed)
}

func main() {
	if len(os.Args) == 3 {
		iterations, err := strconv.ParseInt(os.Args[2], 10, 64)
		require(err == nil, "a number of iterations")
		answer(os.Args[1], iterations)
		return
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var row string
		var iterations int64
		_, err := fmt.Sscan(lines.Text(), &row, &iterations)
		require(err == nil, "ROW ITERATIONS")
		answer(row, iterations)
	}
}
