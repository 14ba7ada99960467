import type { Content } from './content-schema.ts';

/*
 * The types of `#content/…` (`imports` in package.json). Node reads what the build has written (`shared/node/content`);
 * Vite and Vitest read the owner's files (`scripts/vite/content-modules.ts`), each export a module of its own, so that
 * a page loads no more than it shows.
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
