import type { Content } from './content-schema.ts';

/*
 * Types of `#content/…` (`imports` in package.json). Node reads the build's output (`shared/node/content`). Vite and
 * Vitest read the owner's files (`scripts/vite/content-modules.ts`), with a module per export so that a page loads only
 * what it shows.
 */

export declare const brand: Content['brand'];
export declare const siteWords: Content['siteWords'];
export declare const homePage: Content['homePage'];
export declare const aboutPage: Content['aboutPage'];
export declare const contactPage: Content['contactPage'];
export declare const insightsPage: Content['insightsPage'];
export declare const mails: Content['mails'];
export declare const pageMetas: Content['pageMetas'];
export declare const industries: Content['industries'];
export declare const industryChallenges: Content['industryChallenges'];
export declare const solutions: Content['solutions'];
export declare const solutionPages: Content['solutionPages'];
export declare const articles: Content['articles'];
export declare const samples: Content['samples'];
export declare const legalPages: Content['legalPages'];
export declare const hasImprint: Content['hasImprint'];
export declare const redirects: Content['redirects'];
