import { afterEach, expect, test, vi } from 'vitest';
import type { ContactFields } from '../../../shared/contact/contact-schema.ts';
import { apiPaths } from '../../../shared/paths.ts';
import { submitContactRequest } from './submit-contact-request.ts';

const fields: ContactFields = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  company: 'Engines',
  phone: null,
  industry: null,
  message: null,
};
const about = { source: { utm_source: 'newsletter' }, spam: { honeypot: '', filled_in_ms: 9_000 } };
const request = { fields, about };
const attempt = { id: 'first', content: 'x' };

const conflict = () =>
  new Response(JSON.stringify({ detail: 'Used already.' }), { status: 409 });

const readBody = ({ body }: RequestInit): unknown =>
  JSON.parse(typeof body === 'string' ? body : '');

/** As the server does: the id that was posted. */
const confirm = (init: RequestInit) =>
  new Response(JSON.stringify({ id: (readBody(init) as { id: string }).id }), { status: 201 });

function stubFetch(...answers: (Response | Error | typeof confirm)[]) {
  const fetchStub = vi.fn(async (_url: string, init: RequestInit): Promise<Response> => {
    const answer = answers.shift() ?? new Error('One call too many.');
    if (answer instanceof Error) throw answer;

    return answer instanceof Response ? answer : answer(init);
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

test('the fields go out with the id and the time, empty optional ones as null', async () => {
  const calls = stubFetch(new Response('{"id":"first"}', { status: 201 }));

  expect(await submitContactRequest(request, attempt, vi.fn())).toEqual({ kind: 'accepted' });
  expect(calls.listUrls()).toEqual([apiPaths.contactSubmissions]);
  expect(calls.listBodies()).toEqual([
    { id: 'first', ...fields, submitted_at: expect.stringMatching(/^\d{4}-.*Z$/) as string, ...about },
  ]);
});

test('on a conflict a new id is kept and sent once more', async () => {
  const calls = stubFetch(conflict(), confirm);
  const keepAttempt = vi.fn();

  expect(await submitContactRequest(request, attempt, keepAttempt)).toEqual({ kind: 'accepted' });
  const [, second] = calls.listBodies() as { id: string }[];
  expect(second?.id).not.toBe('first');
  expect(keepAttempt.mock.calls).toEqual([[{ id: second?.id, content: 'x' }]]);
});

test.each([
  [200, '<html>Please log in to this Wi-Fi</html>'],
  [200, '{"id":"another"}'],
  [201, '{}'],
  [204, null],
])('status %i with %j is no success: the id that was posted is missing', async (status, body) => {
  stubFetch(new Response(body, { status }));

  expect(await submitContactRequest(request, attempt, vi.fn())).toMatchObject({
    kind: 'refused',
    status,
    detail: expect.stringContaining('can’t be read') as string,
  });
});

test('a second conflict is told, not tried again', async () => {
  const calls = stubFetch(conflict(), conflict());

  expect(await submitContactRequest(request, attempt, vi.fn())).toEqual({
    kind: 'refused',
    status: 409,
    detail: 'Used already.',
  });
  expect(calls.listBodies()).toHaveLength(2);
});

test('when no answer comes, the exception’s message is told', async () => {
  stubFetch(new TypeError('Failed to fetch'));

  expect(await submitContactRequest(request, attempt, vi.fn())).toEqual({
    kind: 'unanswered',
    message: 'Failed to fetch',
  });
});

test('a timeout is told in words', async () => {
  stubFetch(new DOMException('signal timed out', 'TimeoutError'));

  expect(await submitContactRequest(request, attempt, vi.fn())).toMatchObject({
    kind: 'unanswered',
    message: expect.stringContaining('no answer came within 20 seconds') as string,
  });
});
