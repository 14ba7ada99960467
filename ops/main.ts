import { withoutSecrets } from '../shared/node/config/known-names.ts';
import { runCommand } from './run-command.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader such as `head` closes the pipe when it has enough; the command goes on, and ends with its own code.
  if (error.code === 'EPIPE') return;
  // Of a file: the disk is full, say. What it has is no result.
  process.stderr.write(`The output could not be written: ${error.message}\n`);
  process.exit(1);
});
// There is nowhere left to say it.
process.stderr.on('error', () => undefined);
// Not left to the event loop: a connection to a server that hangs would keep it alive.
process.exit(await runCommand(process.argv.slice(2), process, withoutSecrets()));
