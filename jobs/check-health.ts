import { exitOnFailure } from '../shared/node/process/process.ts';
import { checkHealth } from './health/probes.ts';

/** The worker's health check, for people, Compose and readiness; `check-alive.ts` is for what restarts. */
await exitOnFailure(checkHealth);
