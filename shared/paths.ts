/**
 * The one table of URLs. Router, server, navigation, mails and tests take every path from here, and
 * each is spelled once: builders and prefixes derive from the patterns.
 */

const industries = '/industries';
const insights = '/insights';
const followUp = '/follow-up';
const newsletter = '/newsletter';

/** Patterns as React Router and Fastify read them (`:name` is one segment, `/*` the rest). */
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

/** Lower case, single slashes, none at the end. */
export function toCanonicalPath(path: string): string {
  const trimmed = path.toLowerCase().replace(/\/{2,}/g, '/').replace(/\/$/, '');

  return trimmed === '' ? '/' : trimmed;
}

/** Prefix of the calls that respond with data instead of a page. */
export const apiPrefix = '/api/';

/** Calls that respond with data instead of a page, and the health checks. */
export const apiPaths = {
  contactSubmissions: `${apiPrefix}contact-submissions`,
  insightsSession: `${apiPrefix}insights/session`,
  newsletterSubscriptions: `${apiPrefix}newsletter-subscriptions`,
  live: '/health/live',
  ready: '/health/ready',
} as const;

/** What crawlers, browsers and security researchers look for at addresses their formats fix. */
export const siteFilePaths = {
  sitemap: '/sitemap.xml',
  feed: '/feed.xml',
  robots: '/robots.txt',
  webManifest: '/site.webmanifest',
  llmsText: '/llms.txt',
  securityText: '/.well-known/security.txt',
  speculationRules: '/speculation-rules.json',
} as const;

/** Prefix of the pages behind links in mails to sales: a tool, without the frame of the public site. */
export const salesPrefix = `${followUp}/`;

/** Prefixes of what is closed to crawlers: calls, and the pages behind links in mails. */
export const uncrawledPrefixes = [apiPrefix, salesPrefix, `${newsletter}/`] as const;

/** The site's icons, which the build makes (`scripts/vite/site-icons.ts`). */
export const iconPaths = {
  ico: '/favicon.ico',
  svg: '/favicon.svg',
  appleTouch: '/apple-touch-icon.png',
  /** Squares of this many pixels. */
  png: { 192: '/icon-192.png', 512: '/icon-512.png' },
} as const;

/** Prefix of the built files whose names carry a hash of their content. */
export const assetsPrefix = '/assets/';

/** Ids of page parts that links lead to. */
export const anchors = {
  /** The page's main content; the skip link's target. */
  main: 'main',
  /** The solution cards on the home page. */
  solutions: 'solutions',
  /** The founder story on the about page. */
  story: 'story',
  /** The three principles on the about page. */
  corePrinciples: 'core-principles',
  /** The estimate of what busywork costs, on the page of AI transformation and in the article on measuring the return. */
  estimate: 'estimate',
  /** The form on the contact page. */
  request: 'request',
  /** The box to subscribe to the newsletter, on the insights page. */
  newsletter: 'newsletter',
} as const;

/** Query parameters of the contact page that change what it shows. */
export const contactQuery = {
  /** The industry that is selected. */
  industry: 'industry',
  /** A plain post of the form was accepted and redirected here. */
  sent: 'sent',
} as const;

/** Query parameters of the page behind the link in a mail to sales. */
export const followUpQuery = {
  /** The mark of who reads it (`shared/node/mail/signed-action-link.ts`). */
  as: 'as',
} as const;

/** Query parameters of the insights page that change what it shows. */
export const insightsQuery = {
  /** Words searched for. */
  search: 'q',
  category: 'category',
  /** The form for the password is open. */
  unlock: 'unlock',
  /** The right password was posted: if the listing is locked, the browser keeps no cookie. */
  unlocked: 'unlocked',
  /** A plain post of the newsletter box was accepted and redirected here. */
  subscribed: 'subscribed',
} as const;

/** The builder of a pattern's paths: its last segment becomes the value. */
const fillLastSegment =
  (pattern: string) =>
  (value: string): string =>
    // A slug or a token: none has a `$`, which would be special here.
    pattern.replace(/[^/]*$/, value);

/** Builders for the paths that take a parameter. */
export const pathTo = {
  solution: fillLastSegment(routePatterns.solution),
  industry: fillLastSegment(routePatterns.industry),
  article: fillLastSegment(routePatterns.article),
  /** @param mark of the one it is for; without it the page asks who reads it */
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
