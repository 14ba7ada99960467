/**
 * The one table of URLs. Router, server, navigation, mails and tests take every path from here.
 */

/** Patterns as React Router and Fastify read them (`:name` is one segment, `/*` the rest). */
export const routePatterns = {
  home: '/',
  solution: '/solutions/:slug',
  industries: '/industries',
  industry: '/industries/*',
  insights: '/insights',
  article: '/insights/:slug',
  about: '/about',
  contact: '/contact',
  privacyPolicy: '/privacy-policy',
  termsOfService: '/terms-of-service',
  videoTest: '/video-test',
  followUp: '/follow-up/:token',
  heldRequest: '/follow-up/held/:token',
  newsletter: '/newsletter',
  newsletterConfirmation: '/newsletter/confirm/:token',
  newsletterUnsubscription: '/newsletter/unsubscribe/:token',
} as const;

/** Calls that answer with data instead of a page. */
export const apiPaths = {
  contactSubmissions: '/api/contact-submissions',
  contactChallenge: '/api/contact-challenge',
  insightsSession: '/api/insights/session',
  insightsArticles: '/api/insights/articles',
  newsletterSubscriptions: '/api/newsletter-subscriptions',
  live: '/health/live',
  ready: '/health/ready',
} as const;

/** What crawlers, browsers and security researchers look for at addresses their formats fix. */
export const discoveryPaths = {
  sitemap: '/sitemap.xml',
  feed: '/feed.xml',
  robots: '/robots.txt',
  webManifest: '/site.webmanifest',
  llmsText: '/llms.txt',
  securityText: '/.well-known/security.txt',
} as const;

/** Prefix of the built files whose names carry a hash of their content. */
export const assetsPrefix = '/assets/';

/** Query parameters of the contact page that change what it shows. */
export interface ContactQuery {
  readonly industry?: string | undefined;
  readonly sent?: boolean | undefined;
}

/** Query parameters of the insights page that change what it shows. */
export const insightsQuery = {
  /** Words looked for. */
  search: 'q',
  category: 'category',
  /** The form for the password is open. */
  unlock: 'unlock',
  /** A plain post of the newsletter box was accepted and led here. */
  subscribed: 'subscribed',
} as const;

/** Builders for the paths that take a parameter. */
export const pathTo = {
  solution: (slug: string): string => `/solutions/${slug}`,
  industry: (slug: string): string => `/industries/${slug}`,
  article: (slug: string): string => `/insights/${slug}`,
  followUp: (token: string): string => `/follow-up/${token}`,
  heldRequest: (token: string): string => `/follow-up/held/${token}`,
  newsletterConfirmation: (token: string): string => `/newsletter/confirm/${token}`,
  newsletterUnsubscription: (token: string): string => `/newsletter/unsubscribe/${token}`,
  contact: (query: ContactQuery = {}): string => {
    const parameters = [
      ...(query.industry ? [`industry=${encodeURIComponent(query.industry)}`] : []),
      ...(query.sent ? ['sent=1'] : []),
    ];

    return parameters.length === 0
      ? routePatterns.contact
      : `${routePatterns.contact}?${parameters.join('&')}`;
  },
} as const;
