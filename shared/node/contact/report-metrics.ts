import { getIndustryLabel, isIndustryOption } from '../../contact/industry-options.ts';
import { Minute } from '../../time.ts';
import { PREVIOUS_PERIODS, type ReportMetrics, type ReportGroup, type RequestReport } from './request-report.ts';

interface ReportMetric {
  readonly name: string;
  readonly value: string;
  readonly before: string;
}

/** Formats a duration as `2 d 4 h`, `3 h 20 min` or `45 min`. */
function formatDuration(ms: number): string {
  const minutes = Math.round(ms / Minute);
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60];
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours > 0) return rest > 0 ? `${hours} h ${rest} min` : `${hours} h`;

  return `${rest} min`;
}

export const showDuration = (ms: number | null) => (ms === null ? 'none' : formatDuration(ms));

/** Returns the mean of the previous periods, to one decimal place. */
export const computePreviousMean = (count: number): number => Math.round((count / PREVIOUS_PERIODS) * 10) / 10;

const showShare = ({ metWithin, decided }: ReportMetrics) =>
  decided === 0 ? 'none' : `${Math.round((metWithin / decided) * 100)}%`;

/** Describes how many of the decided requests were answered in time, such as `9 of 10 (90%)`. */
export const describeMetWithin = (metrics: ReportMetrics): string =>
  metrics.decided === 0 ? 'none yet' : `${metrics.metWithin} of ${metrics.decided} (${showShare(metrics)})`;

/** Lists a report's metrics, most important first. */
export function listMetrics({ metrics, metricsBefore: before }: RequestReport): readonly ReportMetric[] {
  const count = (name: string, pick: (of: ReportMetrics) => number): ReportMetric => ({
    name,
    value: String(pick(metrics)),
    before: String(computePreviousMean(pick(before))),
  });

  return [
    count('Requests', ({ requests }) => requests),
    count('Answered', ({ answered }) => answered),
    { name: 'Answered in time', value: describeMetWithin(metrics), before: showShare(before) },
    {
      name: 'Time to an answer, median',
      value: showDuration(metrics.medianMs),
      before: showDuration(before.medianMs),
    },
    {
      name: 'Time to an answer, 90th percentile',
      value: showDuration(metrics.percentile90Ms),
      before: showDuration(before.percentile90Ms),
    },
    count('Not a fit', ({ unfit }) => unfit),
    count('Still open', ({ open }) => open),
    count('Open and overdue', ({ overdue }) => overdue),
    count('Held as possible spam', ({ held }) => held),
  ];
}

/** Maximum number of sources that are listed individually. */
const MAX_SOURCES = 8;

export interface ReportBar {
  /** A source comes from a visitor's URL, so it is untrusted unless `isTrusted` is set. */
  readonly label: string;
  readonly requests: number;
  /** Mean of the previous periods. */
  readonly before: number;
  /** Set if the label is a sales address. */
  readonly isTrusted?: true;
}

const toBar = (label: string, groups: readonly ReportGroup[]): ReportBar => ({
  label,
  requests: groups.reduce((sum, { requests }) => sum + requests, 0),
  before: computePreviousMean(groups.reduce((sum, { requestsBefore }) => sum + requestsBefore, 0)),
});

/** Lists the number of requests from each source, most frequent first. */
export function listSources({ sources }: RequestReport): readonly ReportBar[] {
  const others = sources.slice(MAX_SOURCES);

  return [
    ...sources.slice(0, MAX_SOURCES).map((group) => toBar(group.value ?? 'Not known', [group])),
    ...(others.length > 0 ? [toBar('Others', others)] : []),
  ];
}

interface SourceResult {
  /** The source's name, untrusted because it comes from a visitor's URL. */
  readonly label: string;
  /** Percentage of the source's requests that are not a fit. */
  readonly unfitPercent: number;
  readonly medianMs: number | null;
}

/** Lists the results of the most frequent sources. */
export const listSourceResults = ({ sources }: RequestReport): readonly SourceResult[] =>
  sources
    .slice(0, MAX_SOURCES)
    .filter(({ requests }) => requests > 0)
    .map(({ value, requests, unfit, medianMs }) => ({
      label: value ?? 'Not known',
      unfitPercent: Math.round((unfit / requests) * 100),
      medianMs,
    }));

/** Lists the number of requests from each industry, most frequent first. */
export const listIndustries = ({ industries }: RequestReport): readonly ReportBar[] =>
  industries.map((group) =>
    toBar(isIndustryOption(group.value) ? getIndustryLabel(group.value) : (group.value ?? 'Not given'), [group]),
  );

/** Lists how many requests each salesperson answered, highest number first. */
export const listAnswers = ({ answers }: RequestReport): readonly ReportBar[] =>
  answers.map((group) => ({ ...toBar(group.value ?? 'Unknown', [group]), isTrusted: true }));
