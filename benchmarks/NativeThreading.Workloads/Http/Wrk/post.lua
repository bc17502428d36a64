-- Requests with a body of 64 bytes.
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "report.lua")

wrk.method = "POST"
wrk.body = string.rep("x", 64)
