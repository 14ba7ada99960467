/** All of the site's URLs. The router, server, navigation, mails and tests import them from here. */

const industries = '/industries';
const insights = '/insights';
const followUp = '/follow-up';
const newsletter = '/newsletter';

/** Patterns for React Router and Fastify (`:name` is one segment, `/*` the rest). */
export const routePatterns = {
  home: '/',
  solution: '/solutions/:slug',
  industries,
  industry: `${industries}/*`,
  insights,
  article: `${insights}/:slug`,
  about: '/about',
  contact: '/contact',
  privacyPolicy: '/privacy-policy',
  termsOfService: '/terms-of-service',
  accessibility: '/accessibility',
  imprint: '/imprint',
  videoTest: '/video-test',
  followUp: `${followUp}/:token`,
  heldRequest: `${followUp}/held/:token`,
  newsletter,
  newsletterConfirmation: `${newsletter}/confirm/:token`,
  newsletterUnsubscription: `${newsletter}/unsubscribe/:token`,
} as const;

/** Converts to lower case, and removes repeated and trailing slashes. */
export function toCanonicalPath(path: string): string {
  const trimmed = path.toLowerCase().replace(/\/{2,}/g, '/').replace(/\/$/, '');

  return trimmed === '' ? '/' : trimmed;
}

/** Prefix for endpoints that return data instead of a page. */
export const apiPrefix = '/api/';

/** API endpoints and health checks. */
export const apiPaths = {
  contactSubmissions: `${apiPrefix}contact-submissions`,
  insightsSession: `${apiPrefix}insights/session`,
  newsletterSubscriptions: `${apiPrefix}newsletter-subscriptions`,
  live: '/health/live',
  ready: '/health/ready',
} as const;

/** Files at paths that their standards prescribe. */
export const siteFilePaths = {
  sitemap: '/sitemap.xml',
  feed: '/feed.xml',
  robots: '/robots.txt',
  webManifest: '/site.webmanifest',
  llmsText: '/llms.txt',
  securityText: '/.well-known/security.txt',
  speculationRules: '/speculation-rules.json',
} as const;

/** Prefix for the pages that mails to sales link to. They lack the public site's header and footer. */
export const salesPrefix = `${followUp}/`;

/** Prefixes closed to crawlers: the API and pages behind links in mails. */
export const uncrawledPrefixes = [apiPrefix, salesPrefix, `${newsletter}/`] as const;

/** The site's icons, which the build generates (`scripts/vite/site-icons.ts`). */
export const iconPaths = {
  ico: '/favicon.ico',
  svg: '/favicon.svg',
  appleTouch: '/apple-touch-icon.png',
  /** By width in pixels. */
  png: { 192: '/icon-192.png', 512: '/icon-512.png' },
} as const;

/** Prefix of built files with a content hash in their names. */
export const assetsPrefix = '/assets/';

/** Ids of elements that links point to. */
export const anchors = {
  /** Main content, target of the skip link. */
  main: 'main',
  /** Solution cards on the home page. */
  solutions: 'solutions',
  /** Founder story on the about page. */
  story: 'story',
  /** Principles on the about page. */
  corePrinciples: 'core-principles',
  /** Estimate on the AI transformation page and in an article. */
  estimate: 'estimate',
  /** Form on the contact page. */
  request: 'request',
  /** Newsletter box on the insights page. */
  newsletter: 'newsletter',
} as const;

/** Query parameters of the contact page. */
export const contactQuery = {
  /** Preselected industry. */
  industry: 'industry',
  /** Set after the form was submitted without scripts and accepted. */
  sent: 'sent',
} as const;

/** Query parameters of the follow-up page. */
export const followUpQuery = {
  /** The reader's mark (`shared/node/mail/signed-action-link.ts`). */
  as: 'as',
} as const;

/** Query parameters of the insights page. */
export const insightsQuery = {
  /** Search text. */
  search: 'q',
  category: 'category',
  /** Opens the password form. */
  unlock: 'unlock',
  /** Set after the correct password was entered. If the listing is still locked, the browser rejects cookies. */
  unlocked: 'unlocked',
  /** Set after the newsletter form was submitted without scripts and accepted. */
  subscribed: 'subscribed',
} as const;

/** Returns a function that replaces a pattern's last segment. */
const fillLastSegment =
  (pattern: string) =>
  (value: string): string =>
    // Slugs and tokens contain no `$`, which would be special here.
    pattern.replace(/[^/]*$/, value);

/** Functions that build paths with a parameter. */
export const pathTo = {
  solution: fillLastSegment(routePatterns.solution),
  industry: fillLastSegment(routePatterns.industry),
  article: fillLastSegment(routePatterns.article),
  /** @param mark identifies the reader. Without it, the page asks who is reading */
  followUp: (token: string, mark?: string): string =>
    fillLastSegment(routePatterns.followUp)(token) +
    (mark === undefined ? '' : `?${followUpQuery.as}=${mark}`),
  heldRequest: fillLastSegment(routePatterns.heldRequest),
  newsletterConfirmation: fillLastSegment(routePatterns.newsletterConfirmation),
  newsletterUnsubscription: fillLastSegment(routePatterns.newsletterUnsubscription),
  contact: (shown: { industry?: string | undefined; sent?: boolean } = {}): string => {
    const parameters = [
      ...(shown.industry ? [`${contactQuery.industry}=${encodeURIComponent(shown.industry)}`] : []),
      ...(shown.sent ? [`${contactQuery.sent}=1`] : []),
    ];

    return parameters.length === 0
      ? routePatterns.contact
      : `${routePatterns.contact}?${parameters.join('&')}`;
  },
} as const;
