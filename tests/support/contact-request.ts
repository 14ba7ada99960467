import { randomUUID } from 'node:crypto';
import { apiPaths } from '../../shared/paths.ts';
import { request, type TestSite } from './test-site.ts';

/** A valid body of `POST /api/contact-submissions`, with a fresh id. */
export function makeContactBody(changes: Record<string, unknown> = {}) {
  const id: string = randomUUID();

  return {
    id,
    name: 'Ada Example',
    email: 'ada@example.org',
    company: 'Example Sweets',
    phone: '+1 555 0100',
    industry: 'manufacturing',
    message: 'We spend Mondays retyping invoices.',
    submitted_at: '2025-11-03T09:00:00.000Z',
    ...changes,
  };
}

/** A valid body with a new address and a new company, so that mails about it mention no earlier request. */
export function makeStrangersBody() {
  const stranger = randomUUID();

  return makeContactBody({ company: stranger, email: `ada@${stranger}.example` });
}

let lastClient = 0;

/** Returns a new client address in a network of its own, because requests per client are limited. */
export function makeClient(): string {
  lastClient += 1;

  return `10.${(lastClient >> 8) & 255}.${lastClient & 255}.1`;
}

/**
 * Posts a body as JSON without an Origin, as a script would.
 * @param client the address it comes from; a listening site needs TRUST_PROXY for it
 */
export function postContact(site: TestSite, body: unknown, client?: string): Promise<Response> {
  return request(site, apiPaths.contactSubmissions, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    client,
  });
}
