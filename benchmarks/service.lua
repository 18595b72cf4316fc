-- For wrk: every request sends the next of the bodies in the file that SERVICE_BODIES names, a line each.
-- What came back is counted by status at the end, as one line of JSON after "COUNTS".

local bodies = {}
local place = 0
local threads = {}

function setup(thread)
  thread:set("first", #threads * 997)
  table.insert(threads, thread)
end

function init()
  for line in io.lines(os.getenv("SERVICE_BODIES")) do
    bodies[#bodies + 1] = line
  end
  place = first
  answered, refused, unwell = 0, 0, 0
end

function request()
  place = place % #bodies + 1
  return wrk.format("POST", "/v1/extract", { ["Content-Type"] = "application/json" }, bodies[place])
end

function response(status)
  if status == 200 then
    answered = answered + 1
  elseif status == 429 then
    refused = refused + 1
  else
    unwell = unwell + 1
  end
end

function done(summary, latency)
  local counts = { answered = 0, refused = 0, unwell = 0 }
  for _, thread in ipairs(threads) do
    for name in pairs(counts) do
      counts[name] = counts[name] + thread:get(name)
    end
  end
  local errors = summary.errors
  print(string.format(
    'COUNTS {"answered": %d, "refused": %d, "unwell": %d, "seconds": %.3f, "p50_ms": %.1f, "p99_ms": %.1f, '
      .. '"longest_ms": %.1f, "broken": %d, "timeouts": %d}',
    counts.answered, counts.refused, counts.unwell, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, latency.max / 1e3, errors.connect + errors.read + errors.write, errors.timeout
  ))
end
