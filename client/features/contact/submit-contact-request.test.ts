import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ContactFields } from '../../../shared/contact/contact-schema.ts';
import { apiPaths } from '../../../shared/paths.ts';
import { continueAttempt, makeUuid, submitContactRequest } from './submit-contact-request.ts';

const fields: ContactFields = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  company: 'Engines',
  phone: null,
  industry: null,
  message: null,
};

test('an id has the version and variant of a random UUID', () => {
  expect(makeUuid(new Uint8Array(16))).toBe('00000000-0000-4000-8000-000000000000');
  expect(makeUuid(new Uint8Array(16).fill(0xff))).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
});

describe('an attempt', () => {
  const first = continueAttempt(null, { ...fields, phone: '1' }, () => 'first');

  test('keeps its id if the content is unchanged', () => {
    expect(first.id).toBe('first');
    expect(continueAttempt(first, { ...fields, phone: '1' }, () => 'second')).toEqual(first);
  });

  test.each([
    ['changes', { ...fields, phone: '2' }],
    ['moves to another field', { ...fields, message: '1' }],
  ])('gets a new id if the content %s', (_what, changed) => {
    expect(continueAttempt(first, changed, () => 'second').id).toBe('second');
  });
});

const about = { source: { utm_source: 'newsletter' }, spam: { honeypot: '', filled_in_ms: 9_000 } };
const request = { fields, about };
const attempt = { id: 'first', content: 'x' };

const conflict = () =>
  new Response(JSON.stringify({ detail: 'Used already.' }), { status: 409 });

const readBody = ({ body }: RequestInit): unknown =>
  JSON.parse(typeof body === 'string' ? body : '');

/** Confirms the posted id, as the server does. */
const confirm = (init: RequestInit) =>
  new Response(JSON.stringify({ id: (readBody(init) as { id: string }).id }), { status: 201 });

function stubFetch(...responses: (Response | Error | typeof confirm)[]) {
  const fetchStub = vi.fn(async (_url: string, init: RequestInit): Promise<Response> => {
    const response = responses.shift() ?? new Error('Unexpected call.');
    if (response instanceof Error) throw response;

    return response instanceof Response ? response : response(init);
  });
  vi.stubGlobal('fetch', fetchStub);

  return {
    listBodies: () => fetchStub.mock.calls.map(([, init]) => readBody(init)),
    listUrls: () => fetchStub.mock.calls.map(([url]) => url),
  };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test('a request contains the fields, id and time, with null for empty optional fields', async () => {
  const calls = stubFetch(new Response('{"id":"first"}', { status: 201 }));

  expect(await submitContactRequest(request, attempt, vi.fn())).toEqual({ kind: 'accepted' });
  expect(calls.listUrls()).toEqual([apiPaths.contactSubmissions]);
  expect(calls.listBodies()).toEqual([
    { id: 'first', ...fields, submitted_at: expect.stringMatching(/^\d{4}-.*Z$/) as string, ...about },
  ]);
});

test('after a conflict the request is retried once with a new id', async () => {
  const calls = stubFetch(conflict(), confirm);
  const saveAttempt = vi.fn();

  expect(await submitContactRequest(request, attempt, saveAttempt)).toEqual({ kind: 'accepted' });
  const [, second] = calls.listBodies() as { id: string }[];
  expect(second?.id).not.toBe('first');
  expect(saveAttempt.mock.calls).toEqual([[{ id: second?.id, content: 'x' }]]);
});

test.each([
  [200, '<html>Please log in to this Wi-Fi</html>'],
  [200, '{"id":"another"}'],
  [201, '{}'],
  [204, null],
])('status %i with %j is an error because the posted id is missing', async (status, body) => {
  stubFetch(new Response(body, { status }));

  expect(await submitContactRequest(request, attempt, vi.fn())).toMatchObject({
    kind: 'refused',
    status,
    detail: expect.stringContaining('can’t be read') as string,
  });
});

test('a second conflict is reported without a retry', async () => {
  const calls = stubFetch(conflict(), conflict());

  expect(await submitContactRequest(request, attempt, vi.fn())).toEqual({
    kind: 'refused',
    status: 409,
    detail: 'Used already.',
  });
  expect(calls.listBodies()).toHaveLength(2);
});

test.each([
  ['a failed connection', new TypeError('Failed to fetch'), 'Failed to fetch'],
  ['a timeout', new DOMException('signal timed out', 'TimeoutError'), 'the server didn’t answer within 20 seconds'],
])('the message for the visitor mentions %s', async (_what, error, message) => {
  stubFetch(error);

  expect(await submitContactRequest(request, attempt, vi.fn())).toMatchObject({
    kind: 'no-response',
    message: expect.stringContaining(message) as string,
  });
});
