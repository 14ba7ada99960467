import { withoutSecrets } from '../shared/node/config/known-names.ts';
import { runCommand } from './run-command.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader such as `head` closes the pipe when it has read enough. The command continues and exits with its own code.
  if (error.code === 'EPIPE') return;
  // The disk may be full. Truncated output must not look like success.
  process.stderr.write(`The output could not be written: ${error.message}\n`);
  process.exit(1);
});
// If standard error fails, there is nowhere to report it.
process.stderr.on('error', () => undefined);
// Exits explicitly, because a connection to a hanging server would keep the process alive.
process.exit(await runCommand(process.argv.slice(2), process, withoutSecrets()));
