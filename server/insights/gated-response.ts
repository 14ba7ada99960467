import type { FastifyReply } from 'fastify';

/** No cache keeps what depends on the cookie of the gate, not even the browser's. */
export const GATED_CACHE_CONTROL = 'private, no-store';

/** Marks an answer that depends on the gate's cookie. */
export function markGated(reply: FastifyReply): FastifyReply {
  return reply.headers({ 'cache-control': GATED_CACHE_CONTROL, vary: 'Cookie' });
}

/** Keeps what a password opened out of search engines, however they came by it. */
export function hideFromSearch(reply: FastifyReply): FastifyReply {
  return reply.header('x-robots-tag', 'noindex');
}
