import { Resolver } from 'node:dns/promises';
import { expect, test } from 'vitest';
import { assessSender, getSenderDomain } from '../../ops/doctor/check-sender.ts';
import { isUnreachable } from '../../shared/node/mail/receives-mail.ts';

/** Records by name and type, such as `['10 mx.example.net']` for `'example.net MX'`. */
type Zone = Readonly<Record<string, readonly string[]>>;

/** A resolver that knows only one zone's records. */
function makeResolver(zone: Zone): Resolver {
  const find = async (name: string, type: string) => {
    const records = zone[`${name.toLowerCase()} ${type}`] ?? [];
    if (records.length === 0) throw Object.assign(new Error('No data.'), { code: 'ENODATA' });

    return records;
  };

  return Object.assign(new Resolver(), {
    resolve4: (name: string) => find(name, 'A'),
    resolve6: (name: string) => find(name, 'AAAA'),
    resolveNs: (name: string) => find(name, 'NS'),
    resolveMx: async (name: string) =>
      (await find(name, 'MX')).map((record) => {
        const [priority, exchange = ''] = record.split(' ');

        return { priority: Number(priority), exchange };
      }),
    // A long record is sent in parts.
    resolveTxt: async (name: string) => (await find(name, 'TXT')).map((text) => [text.slice(0, 9), text.slice(9)]),
  });
}

/** A resolver whose DNS server doesn't respond. */
function makeUnreachableResolver(): Resolver {
  const resolver = new Resolver({ timeout: 100, tries: 1 });
  resolver.setServers(['127.0.0.1:1']);

  return resolver;
}

const right: Zone = {
  'sweets.io MX': ['10 mx.sweets.io'],
  'sweets.io TXT': ['google-site-verification=x', 'v=spf1 include:_spf.mailer.io -all'],
  '_spf.mailer.io TXT': ['v=spf1 ip4:192.0.2.0/24 a ~all'],
  '_dmarc.sweets.io TXT': ['v=DMARC1; p=reject'],
};

/** SPF records that each include the next one. */
const chain = Object.fromEntries(
  Array.from({ length: 11 }, (_, index) => [`s${index}.io TXT`, [`v=spf1 include:s${index + 1}.io -all`]]),
);

const assess = async (zone: Zone, domain = 'sweets.io') =>
  (await assessSender(domain, makeResolver(zone))).map(({ check, state, detail }) => [check, state, detail]);

test('the sender’s domain is the part after the @, in ASCII', () => {
  expect(getSenderDomain('Größe <site@größe.example>')).toBe('xn--gre-6ka8i.example');
});

test('a domain with all three records passes, and a subdomain inherits the DMARC policy', async () => {
  expect(await assess(right)).toEqual([
    ['sender mx', 'ok', 'sweets.io receives mail at mx.sweets.io.'],
    ['sender spf', 'ok', 'The SPF record of sweets.io is v=spf1 include:_spf.mailer.io -all (2 of 10 lookups).'],
    ['sender dmarc', 'ok', 'The DMARC record of sweets.io is v=DMARC1; p=reject'],
  ]);
  expect((await assess(right, 'mail.sweets.io'))[2]).toEqual(['sender dmarc', 'ok', 'The DMARC record of sweets.io is v=DMARC1; p=reject']);
});

test.each<[string, Zone, number, string]>([
  ['a domain without MX', { 'sweets.io MX': [] }, 0, 'has no MX record'],
  ['an MX record that accepts no mail', { 'sweets.io MX': ['0 '] }, 0, 'has no MX record'],
  ['a domain without SPF', { 'sweets.io TXT': ['v=spf10 -all'] }, 1, 'add a TXT record such as "v=spf1 include:PROVIDER -all"'],
  ['a second SPF record', { 'sweets.io TXT': ['v=spf1 -all', 'v=spf1 mx -all'] }, 1, 'has 2 SPF records, so receivers ignore all'],
  ['an SPF record with too many lookups', { ...chain, 'sweets.io TXT': ['v=spf1 redirect=s0.io'] }, 1, 'takes more than 10 lookups'],
  ['a domain without DMARC', { '_dmarc.sweets.io TXT': [] }, 2, 'add the TXT record "v=DMARC1; p=none" at _dmarc.sweets.io'],
  ['a second DMARC record', { '_dmarc.sweets.io TXT': ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] }, 2, 'has 2 DMARC records'],
])('%s causes a warning that says what to do', async (_what, changes, index, detail) => {
  expect((await assess({ ...right, ...changes }))[index]).toEqual([expect.any(String), 'warn', expect.stringContaining(detail)]);
});

test('nothing is checked if DNS is unavailable or the domain is an example domain', async () => {
  const results = await assessSender('sweets.io', makeUnreachableResolver());

  expect(results.map(({ state, detail }) => [state, detail.slice(0, 33)])).toEqual(Array(3).fill(['info', 'Not checked: DNS does not answer ']));
  expect(await assessSender('mail.example.com')).toMatchObject([{ state: 'info' }]);
});

const zone: Zone = {
  'com NS': ['a.gtld-servers.net'],
  'mx.io MX': ['10 mx.mx.io'],
  'a.io A': ['192.0.2.1'],
  'null.io MX': ['0 '],
  'xn--bcher-kva.io MX': ['10 mx.mx.io'],
};

test.each([
  ['ada@mx.io', false],
  ['ada@a.io', false],
  ['ada@Bücher.io', false],
  ['ada@null.io', true],
  ['ada@nothing.io', true],
  ['ada@example.org', false],
])('mail to %s is undeliverable: %j', async (email, expected) => {
  expect(await isUnreachable(email, makeResolver(zone))).toBe(expected);
});

test('an answer from a name server without public names (on a private network) is ignored', async () => {
  expect(await isUnreachable('ada@nothing.io', makeResolver({ 'intranet.corp A': ['192.0.2.1'] }))).toBe(false);
});

test('every address counts as deliverable if DNS is unavailable', async () => {
  expect(await isUnreachable('ada@nothing.io', makeUnreachableResolver())).toBe(false);
});
