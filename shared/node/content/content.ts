import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Content } from '../../content/content-schema.ts';
import { getErrorCode } from '../logging/describe-error.ts';
import { buildFolder } from './build-folder.ts';

// Uses `require`, because `node --watch` restarts a program when a required file changes.
const require = createRequire(import.meta.url);

function readContent(): Content {
  try {
    return require(join(buildFolder, 'content.json')) as Content;
  } catch (error) {
    if (getErrorCode(error) !== 'MODULE_NOT_FOUND') throw error;
    // This runs while modules load, so no caller could catch an error.
    process.stderr.write('The site is not built: run "npm run build" first.\n');
    process.exit(1);
  }
}

export const {
  brand,
  siteWords,
  homePage,
  aboutPage,
  contactPage,
  insightsPage,
  mails,
  pageMetas,
  industries,
  industryChallenges,
  solutions,
  solutionPages,
  articles,
  samples,
  legalPages,
  hasImprint,
  redirects,
}: Content = readContent();
