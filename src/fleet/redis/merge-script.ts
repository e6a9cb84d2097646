/**
 * What Redis does with reports: the merge of the core (`core/limits/fleet`), in Lua, so that each record is read, changed
 * and written in one step. A test plays random reports through both, and holds them to the same facts.
 */

/**
 * KEYS: the record of each report. ARGV: the channel for news, how long a record is kept (ms), and the reports as JSON.
 * Returns the facts as JSON, in the order of the reports.
 */
export const mergeScript = `
local channel, keptMs, reports = ARGV[1], ARGV[2], cjson.decode(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function with(record, changes)
  for name, value in pairs(changes) do record[name] = value end
  return record
end

-- how many processes there are

local function counted(record, countedIn)
  local slice = math.floor(now / 15000) + 1
  local passed = slice - record.slice
  if passed ~= 0 then
    record.processesBefore = passed == 1 and record.processes or 0
    record.processes = 0
    record.slice = slice
  end
  if countedIn ~= slice then record.processes = record.processes + 1 end
end

local function processesIn(record)
  return math.max(1, record.processes, record.processesBefore)
end

-- the gate

local blank = {}

function blank.gate()
  return { limit = 'gate', slice = 0, processes = 0, processesBefore = 0, epoch = 0, isShut = false, aliveAt = 0, lives = 0,
    row = 0, failures = 0, since = 0, lastAt = 0, witness = '', witnesses = 0, kinds = '', probeAt = 0, lease = 0, leaseUntil = 0 }
end

local function endRow(record)
  with(record, { failures = 0, since = 0, lastAt = 0, witness = '', witnesses = 0 })
end

local function rememberGate(record, report)
  if report.epoch <= record.epoch then return end
  endRow(record)
  with(record, { epoch = report.epoch, isShut = report.isShut, row = record.row + 1, lives = 0, probeAt = now, leaseUntil = 0 })
end

local function takeLife(record, report)
  local at = now - report.aliveMs
  if report.lives == 0 or at < record.since or at < record.aliveAt then return end
  local before = record.failures == 0 and record.lives or 0
  endRow(record)
  with(record, { lives = math.min(20, before + report.lives), aliveAt = at })
end

local function takeSeen(record, report)
  takeLife(record, report)
  local lastAt = now - report.lastMs
  if report.failures == 0 or lastAt < record.aliveAt then return end
  local began = math.max(record.aliveAt, now - report.sinceMs)
  if record.failures == 0 or began - record.lastAt > 10000 then
    local lives = record.failures == 0 and record.lives or 0
    with(record, { row = record.row + 1, lives = lives, failures = report.failures, since = began, lastAt = lastAt,
      witness = report.process, witnesses = 1 })
  else
    with(record, { failures = record.failures + report.failures, since = math.min(record.since, began),
      lastAt = math.max(record.lastAt, lastAt), witnesses = record.witness == report.process and record.witnesses or 2 })
  end
end

local function takeSigns(record, report)
  local ago = math.huge
  if report.lives > 0 then ago = report.aliveMs end
  if report.answersMs >= 0 then ago = math.min(ago, report.answersMs) end
  if ago == math.huge or now - ago < record.since then return end
  endRow(record)
  with(record, { epoch = record.epoch + 1, isShut = false, aliveAt = now - ago, lives = 0, row = record.row + 1, leaseUntil = 0 })
end

local function judge(record, report)
  local shut = report.shut
  local isMeant = shut and report.epoch == record.epoch and shut.row == record.row
  if not isMeant or record.isShut or record.witnesses < 2 then return end
  with(record, { epoch = record.epoch + 1, isShut = true, kinds = shut.kinds or '', probeAt = now + shut.probeInMs, leaseUntil = 0 })
end

local function grantLease(record, report)
  if not record.isShut or report.epoch ~= record.epoch then return 0, false end
  local over = report.over
  local isOver = over and over.lease == record.lease and record.leaseUntil > 0
  if isOver then with(record, { probeAt = now + over.probeInMs, leaseUntil = 0 }) end
  if not report.wantMs or now < record.probeAt or now < record.leaseUntil then return 0, isOver end
  with(record, { lease = record.lease + 1, leaseUntil = now + report.wantMs })
  return record.lease, isOver
end

local function gateFacts(record, lease)
  return { limit = 'gate', slice = record.slice, processes = processesIn(record), epoch = record.epoch, isShut = record.isShut,
    row = record.row, failures = record.failures, forMs = record.failures == 0 and 0 or math.max(0, now - record.since),
    lives = record.lives, witnesses = record.witnesses,
    kinds = record.isShut and record.kinds ~= '' and record.kinds or nil, probeInMs = record.isShut and math.max(0, record.probeAt - now) or 0,
    leaseLeftMs = record.isShut and math.max(0, record.leaseUntil - now) or 0, lease = lease }
end

local merge = {}

function merge.gate(record, report)
  counted(record, report.slice)
  rememberGate(record, report)
  local epoch = record.epoch
  if record.isShut then takeSigns(record, report) else takeSeen(record, report) end
  judge(record, report)
  local lease, isOver = grantLease(record, report)
  return gateFacts(record, lease), (record.epoch ~= epoch or isOver) and gateFacts(record, 0)
end

-- the hold

function blank.hold()
  return { limit = 'hold', firsts = 0, refusals = 0, successes = 0, sent = 0, turn = 0, phase = 'free', dueAt = 0, share = 0,
    restMs = 0, ['until'] = 0, pacedSince = 0, places = 0, spacingMs = 0, nextPlace = 0, free = {} }
end

local competing = { gentle = math.log(1.02) / 1000, gentleFor = 4000, bold = math.log(1.12) / 1000 }
local rising = { gentle = math.log(2) / 1000, gentleFor = math.huge, bold = math.log(2) / 1000 }
local steady = { gentle = math.log(1.0001) / 1000, gentleFor = math.huge, bold = math.log(1.0001) / 1000 }
local obeyed = { gentle = math.log(1.1) / 1000, gentleFor = math.huge, bold = math.log(1.1) / 1000 }
local paces = { free = false, proof = false, quota = false, trial = steady, check = steady, trickle = steady, paced = competing,
  rising = rising, borne = competing, obeyed = obeyed }

local function placesAfter(pace, elapsed)
  local places = (math.exp(pace.gentle * math.min(elapsed, pace.gentleFor)) - 1) / pace.gentle
  if elapsed <= pace.gentleFor then return places end
  return places + math.exp(pace.gentle * pace.gentleFor) * (math.exp(pace.bold * (elapsed - pace.gentleFor)) - 1) / pace.bold
end

local function timeFor(pace, places)
  local gentlePlaces = placesAfter(pace, pace.gentleFor)
  if places <= gentlePlaces then return math.log(1 + places * pace.gentle) / pace.gentle end
  local bolder = (places - gentlePlaces) * pace.bold / math.exp(pace.gentle * pace.gentleFor)
  return pace.gentleFor + math.log(1 + bolder) / pace.bold
end

local function placesBy(record)
  local pace = paces[record.phase]
  if not pace then return record.places end
  return record.places + placesAfter(pace, math.max(0, now - record.pacedSince)) / record.spacingMs
end

local function timeOf(record, place)
  if not paces[record.phase] then return record.pacedSince end
  local ahead = math.max(0, place - record.places)
  return record.pacedSince + timeFor(paces[record.phase], ahead * record.spacingMs)
end

local function takeAnswers(record, report)
  if report.turn ~= record.turn then return end
  for _, name in ipairs({ 'firsts', 'refusals', 'successes', 'sent' }) do record[name] = record[name] + report[name] end
end

local function takeHold(record, report)
  local hold = report.hold
  if not hold then return end
  local untilThen = math.max(record['until'], now + hold.forMs)
  local isLonger = hold.forMs > 0 and untilThen > record['until']
  local isMeant = report.turn == record.turn or record.turn == 0
  if not isMeant and not isLonger then return end
  record.places = paces[record.phase] and math.min(placesBy(record), record.nextPlace) or record.nextPlace
  with(record, { turn = record.turn + 1, ['until'] = untilThen, pacedSince = math.max(now, untilThen),
    firsts = 0, refusals = 0, successes = 0, sent = 0 })
  if isMeant then
    with(record, { phase = hold.phase, dueAt = now + hold.dueMs, share = hold.share, restMs = hold.restMs, spacingMs = hold.spacingMs })
  end
end

local function takePlacesBack(record, report)
  if #report.back == 0 and #record.free == 0 then return end
  local free, isFree = {}, {}
  local function add(place)
    if type(place) ~= 'number' or isFree[place] or not (timeOf(record, place) > now) then return end
    isFree[place] = true
    table.insert(free, place)
  end
  for _, place in ipairs(record.free) do add(place) end
  for _, place in ipairs(report.back) do if place < record.nextPlace then add(place) end end
  table.sort(free)
  record.free = {}
  for index = 1, math.min(100, #free) do record.free[index] = free[index] end
end

local function grantPlaces(record, report)
  local granted = {}
  if not paces[record.phase] or report.want <= 0 then return granted end
  local function isInTime(place) return timeOf(record, place) <= now + report.withinMs end
  while #granted < report.want and record.free[1] and isInTime(record.free[1]) do
    table.insert(granted, table.remove(record.free, 1))
  end
  local nextPlace = math.max(record.nextPlace, placesBy(record))
  while #granted < report.want and isInTime(nextPlace) do
    table.insert(granted, nextPlace)
    nextPlace = nextPlace + 1
  end
  if #granted > 0 then record.nextPlace = nextPlace end
  return granted
end

local function holdFacts(record, granted)
  return { limit = 'hold', firsts = record.firsts, refusals = record.refusals, successes = record.successes, sent = record.sent,
    turn = record.turn, phase = record.phase, dueMs = math.max(0, record.dueAt - now), share = record.share, restMs = record.restMs,
    forMs = math.max(0, record['until'] - now), pacedMs = record.turn == 0 and 0 or now - record.pacedSince,
    places = record.places, spacingMs = record.spacingMs, nextPlace = record.nextPlace, granted = granted }
end

function merge.hold(record, report)
  takeAnswers(record, report)
  local turn = record.turn
  takeHold(record, report)
  local isNews = record.turn ~= turn and report.hold.isUrgent
  takePlacesBack(record, report)
  local granted = grantPlaces(record, report)
  return holdFacts(record, granted), isNews and holdFacts(record, {})
end

-- the budget

function blank.budget()
  return { limit = 'budget', slice = 0, processes = 0, processesBefore = 0, tokens = 0, at = now, shares = 0, failingSince = 0,
    isBarren = false }
end

local function takeOutcomes(record, report)
  if report.succeeded then
    with(record, { failingSince = report.failed and now or 0, isBarren = false })
  elseif report.failed then
    if record.failingSince == 0 then record.failingSince = now end
    record.isBarren = now - record.failingSince >= 2500
  end
end

local function takeEarnings(record, report)
  local together = math.min(50, processesIn(record))
  local shares = record.isBarren and 1 or together
  local brought = record.isBarren and 0 or math.max(0, shares - record.shares) * report.capacity
  local trickle = report.perSecond * shares * math.max(0, now - record.at)
  record.tokens = math.min(shares * report.capacity, record.tokens + trickle + brought + report.earned + report.back)
  with(record, { at = math.max(record.at, now), shares = math.max(record.shares, together) })
end

local function budgetFacts(record, granted)
  return { limit = 'budget', slice = record.slice, processes = processesIn(record), isBarren = record.isBarren,
    granted = granted, tokens = record.tokens }
end

function merge.budget(record, report)
  local wasBarren = record.isBarren
  counted(record, report.slice)
  takeOutcomes(record, report)
  takeEarnings(record, report)
  local granted = math.max(0, math.min(report.want, record.tokens))
  record.tokens = record.tokens - granted
  return budgetFacts(record, granted), record.isBarren ~= wasBarren and budgetFacts(record, 0)
end

-- a record that is not whole, or of another limit, is none; but one that must not be read is not to be written over

local function recordAt(key, limit)
  local fresh = blank[limit]()
  local stored = redis.pcall('GET', key)
  if not stored then return fresh, 0 end
  if type(stored) ~= 'string' then
    if stored.err and not string.find(stored.err, 'WRONGTYPE', 1, true) then error(stored.err) end
    return fresh, 1
  end
  local isRead, record = pcall(cjson.decode, stored)
  if not isRead or type(record) ~= 'table' then return fresh, 1 end
  for name, value in pairs(fresh) do
    local found = record[name]
    if type(found) ~= type(value) or found ~= found then return fresh, 1 end
    if type(found) == 'number' and math.abs(found) > 9007199254740991 then return fresh, 1 end
  end
  if record.limit ~= limit then return fresh, 1 end
  -- the clock was set back
  if record.slice and record.slice > math.floor(now / 15000) + 1 then return fresh, 0 end
  local pace = limit == 'hold' and paces[record.phase]
  if limit == 'hold' and (pace == nil or pace and not (record.spacingMs > 0)) then return fresh, 1 end
  return record, 0
end

-- an empty list is written as an empty object

local function written(value)
  return (string.gsub(cjson.encode(value), '"granted":{}', '"granted":[]'))
end

-- numbers may be such that nothing can be made of them: then, too, the record is none

local function merged(record, report)
  local facts, news = merge[report.limit](record, report)
  return facts, news, cjson.encode(record), cjson.encode(facts)
end

local answers, garbled = {}, 0
for index, report in ipairs(reports) do
  local key = KEYS[index]
  local record, isGarbled = recordAt(key, report.limit)
  local isMerged, facts, news, text = pcall(merged, record, report)
  if not isMerged then
    isGarbled = 1
    facts, news, text = merged(blank[report.limit](), report)
  end
  garbled = garbled + isGarbled
  redis.call('SET', key, text, 'PX', keptMs)
  if news then redis.call('PUBLISH', channel, written({ key = key, facts = news })) end
  answers[index] = facts
end
return written({ facts = answers, garbled = garbled })
`;
