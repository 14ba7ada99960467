-- Prints one line of JSON after wrk's own text. Times are in milliseconds.
function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"requests":%d,"ms":%.3f,"p50":%.3f,"p99":%.3f,"errors":%d,"failures":%d}',
    summary.requests, summary.duration / 1000,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
