import type { FastifyRequest } from 'fastify';
import { toListedArticle, type Article } from '../../shared/content/article.ts';
import type { InsightsState } from '../../shared/page-state.ts';
import type { Gate } from './gate.ts';

interface OwnInsights {
  readonly insights: InsightsState;
}

/** The states of the insights page, by what a visitor may see. */
export interface InsightsStates {
  readonly open: OwnInsights;
  /** One of two objects, by which pages are cached; `@fastify/cookie` has to be registered. */
  readonly readFor: (request: FastifyRequest) => OwnInsights;
}

/**
 * Makes the states of the page.
 * @param articles the newest first
 * @param gate undefined where no password is configured: then everything is open
 */
export function createInsightsStates(
  articles: readonly Article[],
  gate: Gate | undefined,
): InsightsStates {
  const open = { insights: { isGated: gate !== undefined, articles: articles.map(toListedArticle) } };
  const locked = { insights: { isGated: true } };

  return { open, readFor: (request) => (!gate || gate.isUnlocked(request) ? open : locked) };
}
