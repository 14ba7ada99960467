import { withoutSecrets } from '../shared/node/config/known-names.ts';
import { runCommand } from './run-command.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader such as `head` closes the pipe when it has enough. The command continues and ends with its own code.
  if (error.code === 'EPIPE') return;
  // The disk may be full. A truncated output is not a result.
  process.stderr.write(`The output could not be written: ${error.message}\n`);
  process.exit(1);
});
// A failure of standard error can't be reported anywhere.
process.stderr.on('error', () => undefined);
// Exits explicitly, because a connection to a hanging server would keep the process alive.
process.exit(await runCommand(process.argv.slice(2), process, withoutSecrets()));
