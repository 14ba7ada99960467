import { MockAgent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { apiPaths } from '../../shared/paths.ts';
import { tryForm } from '../../shared/node/monitoring/try-form.ts';

const SITE = 'https://www.example.com';
const PROXY = 'http://proxy:3000';
const PAGE = '<form><input name="subject"></form>';

/** A server's response: a status, a page, a redirect, or a connection error. */
type Reply = number | string | { readonly href: string } | { readonly code: string };

interface Servers {
  readonly page: Reply;
  readonly post?: Reply;
  /** The origin that receives the POST request. It differs from SITE after a redirect. */
  readonly origin?: string;
}

function answer(agent: MockAgent, origin: string, method: 'GET' | 'POST', reply: Reply): void {
  const path = method === 'GET' ? '/contact' : apiPaths.contactSubmissions;
  const scope = agent.get(origin).intercept({ path, method });
  if (typeof reply === 'number') scope.reply(reply, '').persist();
  else if (typeof reply === 'string') scope.reply(200, reply).persist();
  else if ('href' in reply) scope.reply(308, '', { headers: { location: reply.href } }).persist();
  else scope.replyWithError(Object.assign(new Error('Failed.'), reply)).persist();
}

async function tryWith({ page, post = 204, origin = SITE }: Servers, proxy: Servers) {
  const agent = new MockAgent();
  agent.disableNetConnect();
  onTestFinished(() => agent.close());
  answer(agent, SITE, 'GET', page);
  if (origin !== SITE) answer(agent, origin, 'GET', PAGE);
  answer(agent, origin, 'POST', post);
  answer(agent, PROXY, 'GET', proxy.page);
  answer(agent, PROXY, 'POST', proxy.post ?? 204);

  return tryForm({ site: { name: 'Praline', legalEntity: 'P', legalEmail: 'a@b.example', publicUrl: SITE }, linkSecrets: ['s'] }, PROXY, agent);
}

const noProxy = { page: { code: 'ENOTFOUND' } };

test.each<[string, Servers, RegExp]>([
  ['an unknown name', { page: { code: 'ENOTFOUND' } }, /^https:\/\/www\.example\.com: The host name is not known/],
  ['a closed port', { page: { code: 'ECONNREFUSED' } }, /Nothing is listening/],
  ['a port without TLS', { page: { code: 'ERR_SSL_WRONG_VERSION_NUMBER' } }, /TLS handshake failed/],
  ['an expired certificate', { page: { code: 'CERT_HAS_EXPIRED' } }, /certificate is not trusted \(http-CERT_HAS_EXPIRED\)/],
  ['a redirect to plain HTTP', { page: new URL('http://www.example.com/contact') }, /redirects to http:\/\/www\.example\.com, which doesn't use TLS/],
  ['a redirect to an invalid address', { page: { href: 'https://' } }, /redirects to https:\/\/, which is not a valid address/],
  ['an endless redirect', { page: new URL(`${SITE}/contact`) }, /redirects too many times/],
  ['a missing page', { page: 404 }, /responded with 404 instead of the contact page/],
  ['another page', { page: '<p>Parked</p>' }, /serves a page without the form/],
  ['another host', { page: 421 }, /421: the Host header that reaches the site doesn’t match PUBLIC_URL/],
  ['another host, for POST requests only', { page: PAGE, post: 421 }, /refused with 421/],
  ['another origin', { page: new URL('https://example.com/contact'), origin: 'https://example.com', post: 403 }, /^Forms sent from https:\/\/example\.com are refused with 403: PUBLIC_URL is https:\/\/www/],
  ['a server error', { page: PAGE, post: 503 }, /get a 503 response/],
  ['a stored request instead of a trial', { page: PAGE, post: 201 }, /get a 201 response/],
])('a trial explains %s', async (_what, servers, detail) => {
  expect(await tryWith(servers, noProxy)).toEqual({ isAccepted: false, wentThroughProxy: false, detail: expect.stringMatching(detail) });
});

test('a trial follows a redirect to another address and submits the form there', async () => {
  const site = { page: new URL('https://example.com/contact'), origin: 'https://example.com' };

  expect(await tryWith(site, noProxy)).toEqual({ isAccepted: true, wentThroughProxy: false, detail: 'A trial request was accepted.' });
});

test.each([
  ['ENOTFOUND', 'The host name is not known'],
  ['ECONNREFUSED', 'Nothing is listening'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'Its certificate is not trusted'],
])(
  'a site that can’t be reached from inside the stack (%s) is tried through the stack’s proxy',
  async (code, why) => {
    const accepted = await tryWith({ page: { code } }, { page: PAGE });
    const refused = await tryWith({ page: { code } }, { page: PAGE, post: 503 });

    expect(accepted).toEqual({ isAccepted: true, wentThroughProxy: true, detail: expect.stringContaining(`went to the stack's proxy, because ${SITE} can't be reached from here. ${why}`) });
    expect(refused).toMatchObject({ isAccepted: false, detail: expect.stringContaining('503') });
  },
);
