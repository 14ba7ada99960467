import { exitOnFailure } from '../shared/node/process/process.ts';
import { checkLiveness } from './health/probes.ts';

/** The worker's liveness probe, for orchestrators that restart what is unhealthy. */
await exitOnFailure(checkLiveness);
