import { expect } from 'vitest';
import { apiPaths, routePatterns } from '../../shared/paths.ts';
import { makeContactBody } from '../support/contact-request.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Chance } from './chance.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault } from './fault-fixture.ts';

const post = (origin: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/json') =>
  fetch(origin + apiPaths.contactSubmissions, { method: 'POST', headers: { 'content-type': type }, body });

const withId = (rest: string) => JSON.stringify(makeContactBody()).replace('{', `{${rest},`);

/** Each with the statuses that are right; bodies that can't be a request. */
const corpus: ReadonlyArray<readonly [string, ...number[]]> = [
  ['', 400],
  ['{', 400],
  ['[]', 400],
  ['null', 400],
  ['7', 400],
  ['"text"', 400],
  ['[[[[[[[[[[', 400],
  ['['.repeat(30_000), 400],
  ['{"a":'.repeat(10_000), 400],
  [JSON.stringify({ ...makeContactBody(), name: { $ne: '' } }), 400],
  [JSON.stringify({ ...makeContactBody(), email: ['ada@example.org'] }), 400],
  [JSON.stringify({ ...makeContactBody(), company: 1e308 }), 400],
  [JSON.stringify({ ...makeContactBody(), message: true }), 400],
  [JSON.stringify({ ...makeContactBody(), id: 7 }), 400],
  [JSON.stringify({ ...makeContactBody(), id: { toString: 'x' } }), 400],
  [JSON.stringify({ ...makeContactBody(), submitted_at: '+275760-09-13T00:00:00.001Z' }), 400],
  [withId('"__proto__":{"isAdmin":true}'), 400],
  [withId('"\\u005f_proto__":{"isAdmin":true}'), 400],
  [withId('"constructor":{"prototype":{"isAdmin":true}}'), 400],
  [withId('"source":{"__proto__":{"utm_source":"x"}}'), 400],
  [withId('"source":[1,2]'), 400, 201],
  [withId('"spam":"yes"'), 400, 201],
];

/** A valid body with some of its characters taken away, doubled or replaced. */
function garble(text: string, chance: Chance): string {
  let garbled = text;
  for (let count = chance.between(1, 6); count > 0; count -= 1) {
    const at = chance.between(0, garbled.length - 1);
    const cut = chance.between(0, 3);
    const put = chance.pick(['', '"', '{', '}', '[', ',', ':', '\\', '\\u', '0', 'null', '\u0001', '__proto__']);
    garbled = garbled.slice(0, at) + put + garbled.slice(at + cut);
  }

  return garbled;
}

const GARBLED = 300;

/** What a response to nonsense may contain: the words of its status, nothing of the request or of the code. */
function expectGenericProblem(text: string, what: string): void {
  const problem = JSON.parse(text) as { detail: string };
  expect(problem, what).toMatchObject({ status: expect.any(Number), code: expect.any(String) });
  expect(problem.detail, what).not.toMatch(/JSON|position|token|proto|\.ts|\bat /i);
}

faultRow(48, 'Malformed JSON, wrong types, __proto__: 400 or 415 in generic words, nothing stored, nothing breaks', async (chance) => {
  const fixture = await setUpFault(oneMail);
  const { origin, output, hasExited } = await startWeb(fixture.settings);
  let taken = 0;

  for (const [body, ...statuses] of corpus) {
    const response = await post(origin, body);
    expect(statuses, body.slice(0, 200)).toContain(response.status);
    if (response.ok) taken += 1;
    else expectGenericProblem(await response.text(), body.slice(0, 200));
  }
  for (let count = 0; count < GARBLED; count += 1) {
    const body = garble(JSON.stringify(makeContactBody()), chance);
    const response = await post(origin, body);
    expect([200, 201, 400, 409], body).toContain(response.status);
    if (response.status === 201) taken += 1;
    if (response.status === 400) expectGenericProblem(await response.text(), body);
  }
  for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'nonsense']) {
    expect((await post(origin, '{}', type)).status, type).toBe(415);
  }

  expect(await fixture.database('contact_submissions')).toHaveLength(taken);
  expect(hasExited()).toBe(false);
  expect(output()).not.toMatch(/"level":[56]0/);
  expect((await fixture.submit(origin)).status).toBe(201);
});

const CONTROLS = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;
const NOT_IN_SUBJECT = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

/** Bytes that are no UTF-8: a stray continuation, a cut sequence, an overlong slash, a surrogate, beyond the last plane. */
const badBytes = [[0x80], [0xe2, 0x82], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xff, 0xfe]];

/** A body whose message is these bytes. */
function makeBody(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const [before = '', after = ''] = JSON.stringify(makeContactBody({ message: '@' })).split('"@"');

  return Buffer.concat([Buffer.from(`${before}"`), message, Buffer.from(`"${after}`)]);
}

const postForm = (origin: string, fields: string) =>
  fetch(origin + routePatterns.contact, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: fields,
    redirect: 'manual',
  });

async function expectControlsRefused(origin: string): Promise<void> {
  const codes = [...Array.from({ length: 32 }, (_, code) => code), 0x7f, 0x85, 0x9f, 0xd800, 0xdfff];
  for (const code of codes) {
    const character = String.fromCharCode(code);
    for (const field of ['name', 'company', 'message']) {
      const isText = field === 'message' && ['\t', '\n', '\r'].includes(character);
      const body = JSON.stringify(makeContactBody({ [field]: `a${character}b` }));
      expect((await post(origin, body)).status, `${field} ${code}`).toBe(isText ? 201 : 400);
    }
  }
  for (const [bytes, status] of [['%00', 422], ['%01', 422], ['%7F', 422], ['%80', 303], ['%ED%A0%80', 303]] as const) {
    const response = await postForm(origin, `name=a${bytes}b&email=ada%40example.org&company=Sweets`);
    expect(response.status, bytes).toBe(status);
  }
}

faultRow(49, 'Bad UTF-8, NUL, surrogates, direction marks and random bytes: refused or stored clean, subjects without tricks', async (chance) => {
  const fixture = await setUpFault(oneMail);
  const { database, sink } = fixture;
  const web = await startWeb(fixture.settings);
  await expectControlsRefused(web.origin);

  for (const bytes of badBytes) {
    expect((await post(web.origin, makeBody(Uint8Array.from([97, ...bytes, 98])))).status).toBe(201);
  }
  for (let count = 0; count < 200; count += 1) {
    const bytes = Uint8Array.from({ length: chance.between(1, 40) }, () => chance.between(0, 255));
    expect([201, 400], Buffer.from(bytes).toString('hex')).toContain((await post(web.origin, makeBody(bytes))).status);
  }
  const composed = makeContactBody({ name: 'Zoe\u0308', company: 'Sweets\u202e moc.elpmaxe\u2066\u200f\u2028 x' });
  expect((await fixture.submit(web.origin, composed)).status).toBe(201);

  const rows = await database('contact_submissions');
  for (const { name, company, message } of rows) {
    for (const text of [name, company, message ?? '']) {
      expect(text.normalize('NFC')).toBe(text);
      expect(text).not.toMatch(CONTROLS);
    }
  }
  expect(rows.filter(({ message }) => message?.includes('\ufffd')).length).toBeGreaterThanOrEqual(badBytes.length);
  expect(await database('contact_submissions').where({ id: composed.id }).first()).toMatchObject({ name: 'Zoë' });
  await startWorker(fixture.settings);
  const mailed = await database('deliveries').where({ stage: 'new' });
  await waitFor('all mails', async () => (await countStates(database))['sent'] === mailed.length, 60_000);
  for (const { mail } of sink.received) {
    expect(mail.subject).toMatch(/^\[Praline\] New assessment request: /);
    expect(mail.subject).not.toMatch(NOT_IN_SUBJECT);
  }
  expect(web.output()).not.toMatch(/"level":[56]0/);
});
