import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readLinkTime, readLinkToken, type LinkPurpose } from '../../shared/node/mail/signed-action-link.ts';
import { acceptFormsOnly } from '../http/request-body.ts';
import { withDatabaseTimeout } from '../http/database-timeout.ts';
import { HTML_TYPE, type OwnPageState, type PageRenderer } from './page-renderer.ts';

export interface SignedActionPageServices {
  readonly pages: PageRenderer;
  readonly linkSecrets: readonly string[];
}

/** A page behind a signed action link in a mail. Mail scanners open links, so only its button acts. */
interface SignedActionPage {
  /** Pattern with the parameter `:token`. */
  readonly pattern: string;
  readonly purpose: LinkPurpose;
  /**
   * What the page shows about the row the link names; undefined when that is gone, or when the link
   * has become void since it was made.
   */
  readonly readState: (id: string, madeAt: Date) => Promise<OwnPageState | undefined>;
  /** What the button does, by the form it sends; repeating it changes nothing. */
  readonly act: (id: string, madeAt: Date, form: unknown) => Promise<void>;
  /** Shown while PostgreSQL is away. */
  readonly unavailable: string;
}

type SignedRequest = FastifyRequest<{ Params: { token: string } }>;

/** Routes GET and POST of signed action links; one that is invalid or expired is not found. */
export async function routeSignedActionPages(
  app: FastifyInstance,
  { pages, linkSecrets }: SignedActionPageServices,
  signedPages: readonly SignedActionPage[],
): Promise<void> {
  await acceptFormsOnly(app);
  // A body of any other type is accepted and not read: most buttons need none.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  app.addHook('onRequest', (request, _reply, done) => {
    // Fastify refuses a malformed type before it looks for a parser.
    if (request.mediaType === undefined) delete request.headers['content-type'];
    done();
  });

  const sendPage = async (reply: FastifyReply, location: string, state?: OwnPageState) => {
    const html = state
      ? await pages.renderUncached(location, state)
      : await (await pages.renderNotFound()).encode('identity');

    return reply
      .code(state ? 200 : 404)
      .headers({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' })
      .type(HTML_TYPE)
      .send(html);
  };

  for (const { pattern, purpose, readState, act, unavailable } of signedPages) {
    const respond = async (request: SignedRequest, reply: FastifyReply, isActing: boolean) => {
      const { params } = request;
      const id = readLinkToken(purpose, params.token, linkSecrets);
      const madeAt = readLinkTime(params.token);
      const state = await withDatabaseTimeout(async () => {
        if (isActing && id) await act(id, madeAt, request.body);

        return id === undefined ? undefined : readState(id, madeAt);
      }, unavailable);

      return sendPage(reply, pattern.replace(':token', params.token), state);
    };

    app.get(pattern, (request: SignedRequest, reply) => respond(request, reply, false));
    app.post(pattern, (request: SignedRequest, reply) => respond(request, reply, true));
  }
}
