-- Prints the result as one line, for a program to read. Times in microseconds.
done = function(summary, latency, requests)
  local e = summary.errors
  io.write(string.format('{"answers":%d,"us":%d,"p50":%d,"p99":%d,"p999":%d,"errors":%d}\n', summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9), e.connect + e.read + e.write + e.status + e.timeout))
end
