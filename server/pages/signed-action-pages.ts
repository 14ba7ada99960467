import formBody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readLinkTime, readLinkToken, type LinkPurpose } from '../../shared/node/mail/signed-action-link.ts';
import { answerInTime } from '../http/answer-in-time.ts';
import type { OwnPageState, PageRenderer } from './page-renderer.ts';

export interface SignedActionPageServices {
  readonly pages: PageRenderer;
  readonly linkSecrets: readonly string[];
}

/** A page behind a signed link in a mail. Mail scanners open links, so only its button acts. */
export interface SignedActionPage {
  /** Pattern with the parameter `:token`. */
  readonly pattern: string;
  readonly purpose: LinkPurpose;
  /**
   * What the page shows about what the link names; undefined when that is gone, or when the link
   * has lost its meaning since it was made.
   */
  readonly readState: (id: string, madeAt: Date) => Promise<OwnPageState | undefined>;
  /** What the button does, by the form it sends; repeating it changes nothing. */
  readonly act: (id: string, madeAt: Date, form: unknown) => Promise<void>;
  /** Told while PostgreSQL is away. */
  readonly unavailable: string;
}

type SignedRequest = FastifyRequest<{ Params: { token: string } }>;

/** Answers GET and POST of signed links; one that is no good, or not any more, is not found. */
export async function registerSignedActionPages(
  app: FastifyInstance,
  { pages, linkSecrets }: SignedActionPageServices,
  signedPages: readonly SignedActionPage[],
): Promise<void> {
  // Whatever else than a form arrives is not read.
  app.removeAllContentTypeParsers();
  await app.register(formBody);
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  app.addHook('onRequest', (request, _reply, done) => {
    // Fastify refuses a type it can't read before it looks for a parser.
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
      .type('text/html; charset=utf-8')
      .send(html);
  };

  for (const { pattern, purpose, readState, act, unavailable } of signedPages) {
    const answer = async (request: SignedRequest, reply: FastifyReply, isActing: boolean) => {
      const { params } = request;
      const id = readLinkToken(purpose, params.token, linkSecrets);
      const madeAt = readLinkTime(params.token);
      const state = await answerInTime(async () => {
        if (isActing && id) await act(id, madeAt, request.body);

        return id === undefined ? undefined : readState(id, madeAt);
      }, unavailable);

      return sendPage(reply, pattern.replace(':token', params.token), state);
    };

    app.get(pattern, (request: SignedRequest, reply) => answer(request, reply, false));
    app.post(pattern, (request: SignedRequest, reply) => answer(request, reply, true));
  }
}
