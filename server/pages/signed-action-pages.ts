import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readLinkTime, readLinkToken, type LinkPurpose } from '../../shared/node/mail/signed-action-link.ts';
import { followUpQuery, salesPrefix } from '../../shared/paths.ts';
import type { FieldErrors } from '../../shared/problem.ts';
import { AppError } from '../http/errors.ts';
import { acceptFormsOnly, readTextField } from '../http/request-body.ts';
import { hideFromSearch, PRIVATE_CACHE_CONTROL } from '../http/security-headers.ts';
import { withDatabaseTimeout } from '../http/database-timeout.ts';
import { getNetworkKey, limitConcurrency, type RunLimited } from '../http/rate-limits.ts';
import { HTML_TYPE, type ServedPageState, type PageRenderer } from './page-renderer.ts';

export interface SignedActionPageServices {
  readonly pages: PageRenderer;
  readonly linkSecrets: readonly string[];
  readonly runLimited: RunLimited;
}

/** Maximum concurrent pages per network and process. Each uses up to four of ten connections to PostgreSQL. */
const MAX_AT_ONCE = 4;

export const createLinkLimit = (): RunLimited => limitConcurrency({ maxAtOnce: MAX_AT_ONCE, maxWaiting: 0, getKey: getNetworkKey });

export interface SignedActionLink {
  readonly id: string;
  /** When the link was created, to the second. */
  readonly madeAt: Date;
  readonly token: string;
  /** Identifies the recipient of this copy of the link, if any. */
  readonly mark: string | undefined;
}

/** A page behind a signed action link in a mail. Mail scanners open links, so only its button acts. */
interface SignedActionPage {
  /** Pattern with the parameter `:token`. */
  readonly pattern: string;
  readonly purpose: LinkPurpose;
  /** Returns what the page shows. Undefined if the link's row is gone or the link is no longer valid. */
  readonly readState: (link: SignedActionLink, errors?: FieldErrors) => Promise<ServedPageState | undefined>;
  /** Runs the button's action, which is idempotent. An AppError with field errors is shown on the page. */
  readonly act: (link: SignedActionLink, form: unknown) => Promise<void>;
  /** Shown while PostgreSQL is unavailable. */
  readonly unavailable: string;
}

const privateHeaders = { contentType: HTML_TYPE, cacheControl: PRIVATE_CACHE_CONTROL };

type SignedRequest = FastifyRequest<{ Params: { token: string }; Querystring: object }>;

function readLink(
  { params: { token }, query }: SignedRequest,
  purpose: LinkPurpose,
  secrets: readonly string[],
): SignedActionLink | undefined {
  const id = readLinkToken(purpose, token, secrets);
  const mark = readTextField(query, followUpQuery.as);

  return id === undefined ? undefined : { id, madeAt: readLinkTime(token), token, mark };
}

/** Runs an action. Returns its field errors, or undefined if it succeeded. */
async function findFieldErrors(action: () => Promise<void>): Promise<FieldErrors | undefined> {
  try {
    await action();

    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.errors) return error.errors;
    throw error;
  }
}

/** Routes GET and POST requests for signed action links. Invalid or expired ones get 404. */
export async function routeSignedActionPages(
  app: FastifyInstance,
  { pages, linkSecrets, runLimited }: SignedActionPageServices,
  signedPages: readonly SignedActionPage[],
): Promise<void> {
  await acceptFormsOnly(app);
  // Bodies of other types are accepted but not read, because most buttons need none.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  app.addHook('onRequest', (request, _reply, done) => {
    // Fastify refuses a malformed type before it looks for a parser.
    if (request.mediaType === undefined) delete request.headers['content-type'];
    done();
  });

  const sendPage = async (
    reply: FastifyReply,
    pattern: string,
    token: string,
    state: ServedPageState | undefined,
    hasErrors: boolean,
  ) => {
    hideFromSearch(reply);
    if (!state) {
      const dead = pattern.startsWith(salesPrefix) ? pages.renderCached(pattern) : pages.renderNotFound();

      return reply.code(404).sendCached(await dead, privateHeaders);
    }
    const html = await pages.renderUncached(pattern.replace(':token', token), state);

    return reply
      .code(hasErrors ? 422 : 200)
      .header('cache-control', PRIVATE_CACHE_CONTROL)
      .type(HTML_TYPE)
      .send(html);
  };

  for (const { pattern, purpose, readState, act, unavailable } of signedPages) {
    const respond = async (request: SignedRequest, reply: FastifyReply, isActing: boolean) => {
      const link = readLink(request, purpose, linkSecrets);
      const read = async (valid: SignedActionLink) => {
        const found = isActing ? await findFieldErrors(() => act(valid, request.body)) : undefined;

        return [await readState(valid, found), found] as const;
      };
      const [state, errors] = link
        ? await runLimited(request.ip, () => withDatabaseTimeout(() => read(link), unavailable))
        : [];

      return sendPage(reply, pattern, request.params.token, state, errors !== undefined);
    };

    app.get(pattern, (request: SignedRequest, reply) => respond(request, reply, false));
    app.post(pattern, (request: SignedRequest, reply) => respond(request, reply, true));
  }
}
