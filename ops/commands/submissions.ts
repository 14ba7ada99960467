import type { Command } from 'commander';
import { addEraseSubmissions } from './erase-submissions.ts';
import { addExportSubmissions } from './export-submissions.ts';
import { addListSubmissions } from './list-submissions.ts';
import { addReleaseSubmissions } from './release-submissions.ts';
import { addShowSubmission } from './show-submission.ts';

/** `submissions list|show|export|erase|release` */
export function addSubmissions(program: Command): void {
  const parent = program.command('submissions').description('requests that visitors have sent');
  addListSubmissions(parent);
  addShowSubmission(parent);
  addExportSubmissions(parent);
  addEraseSubmissions(parent);
  addReleaseSubmissions(parent);
}
