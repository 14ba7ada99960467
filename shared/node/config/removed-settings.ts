/** Settings of earlier versions, each with the reason for its removal. A `.env` that still has one gets a warning. */
export const removedSettings: ReadonlyMap<string, string> = new Map([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'traces were removed, log lines link a request to its deliveries by their ids'],
]);
