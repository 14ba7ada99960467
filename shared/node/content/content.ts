import { readFileSync } from 'node:fs';
import type { Content } from '../../content/content-schema.ts';
import { getErrorCode } from '../logging/describe-error.ts';

/** Where the build writes the owner's words for the programs. */
const contentFile = new URL('../../../dist/content.json', import.meta.url);

function readContent(): Content {
  try {
    return JSON.parse(readFileSync(contentFile, 'utf8')) as Content;
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error;
    // The programs' modules read it while they are loaded: nobody could catch an error.
    process.stderr.write('The site is not built: run "npm run build" first.\n');
    process.exit(1);
  }
}

export const {
  siteWords,
  homePage,
  aboutPage,
  contactPage,
  insightsPage,
  pageMetas,
  industries,
  industryChallenges,
  solutions,
  solutionPages,
  articles,
  legalPages,
}: Content = readContent();
