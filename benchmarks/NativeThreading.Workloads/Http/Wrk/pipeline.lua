-- Several requests at once on each connection, and the next ones when all of them are answered. The argument says how many.
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "report.lua")

local requests

init = function(args)
  local all = {}
  for i = 1, tonumber(args[1]) do
    all[i] = wrk.format()
  end
  requests = table.concat(all)
end

request = function()
  return requests
end
