-- Sends valid requests like the form's JavaScript. Ids and email addresses are unique. Sixteen clients take turns.
dofile(debug.getinfo(1, 'S').source:match('^@(.*/)') .. 'wrk-report.lua')

math.randomseed(os.time())

local BODY = '{"id":"%s","name":"Ada Example","email":"ada.%d.%d@example.org",'
  .. '"company":"Example Sweets","phone":"+1 555 0100","industry":"manufacturing",'
  .. '"message":"We spend Mondays retyping invoices.","spam":{"honeypot":"","filled_in_ms":45000}}'
local HEADERS = { ['content-type'] = 'application/json' }

local started, count = os.time(), 0

local function make_id()
  local random = math.random
  return string.format(
    '%04x%04x-%04x-4%03x-%04x-%04x%04x%04x',
    random(0, 65535), random(0, 65535), random(0, 65535), random(0, 4095),
    random(32768, 49151), random(0, 65535), random(0, 65535), random(0, 65535)
  )
end

function request()
  count = count + 1
  -- The site limits the concurrent requests of one client.
  HEADERS['x-forwarded-for'] = '10.0.0.' .. count % 16
  return wrk.format('POST', nil, HEADERS, BODY:format(make_id(), started, count))
end
