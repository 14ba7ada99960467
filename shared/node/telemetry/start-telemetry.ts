import type { Config } from '../config/config.ts';
import type { Logger } from '../logging/logger.ts';
import type * as OpenTelemetry from './open-telemetry.ts';
import type { Telemetry } from './telemetry.ts';

/** `open-telemetry.ts` with all it imports as one file (`scripts/build-site.ts`): the image has none of those packages. */
const bundle = new URL('../../../dist/telemetry/open-telemetry.js', import.meta.url);

/**
 * Starts the traces of a process where OTEL_EXPORTER_OTLP_ENDPOINT is set; nothing is loaded for them where it is
 * not. A failure is logged, and the process runs without traces.
 */
export async function startTelemetry(
  service: 'web' | 'worker',
  { telemetry, site }: Pick<Config, 'telemetry' | 'site'>,
  logger: Logger,
): Promise<Telemetry | undefined> {
  if (telemetry.endpoint === undefined) return undefined;

  try {
    const { openTelemetry } = (await import(bundle.href)) as typeof OpenTelemetry;
    const { host: siteHost } = new URL(site.publicUrl);

    return openTelemetry({ service, siteHost, endpoint: telemetry.endpoint, logger });
  } catch (error) {
    logger.error({ err: error }, 'Traces can’t be started; there are none.');

    return undefined;
  }
}
