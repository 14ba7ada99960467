import { getIndustryLabel, isIndustryOption } from '../../contact/industry-options.ts';
import { Day, Hour, Minute } from '../../time.ts';
import { PERIODS_BEFORE, type ReportMetrics, type ReportGroup, type RequestReport } from './request-report.ts';

/* A report in words, for the mail and for the operator's tool. */

interface ReportMetric {
  readonly name: string;
  readonly value: string;
  readonly before: string;
}

/** `2 d 4 h`, `3 h 20 min`, `45 min` */
function formatDuration(ms: number): string {
  const minutes = Math.round(ms / Minute);
  const [days, hours, rest] = [
    Math.floor((minutes * Minute) / Day),
    Math.floor(((minutes * Minute) % Day) / Hour),
    minutes % (Hour / Minute),
  ];
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours > 0) return rest > 0 ? `${hours} h ${rest} min` : `${hours} h`;

  return `${rest} min`;
}

export const showDuration = (ms: number | null) => (ms === null ? 'none' : formatDuration(ms));

/** The mean of the periods before, to one decimal. */
export const meanBefore = (count: number): number => Math.round((count / PERIODS_BEFORE) * 10) / 10;

const showShare = ({ metWithin, decided }: ReportMetrics) =>
  decided === 0 ? 'none' : `${Math.round((metWithin / decided) * 100)}%`;

/** The part of the decided requests that was answered in time: `9 of 10 (90%)`. */
export const describeMetWithin = (metrics: ReportMetrics): string =>
  metrics.decided === 0 ? 'none yet' : `${metrics.metWithin} of ${metrics.decided} (${showShare(metrics)})`;

/** The metrics of a report, the most important first. */
export function listMetrics({ metrics, metricsBefore: before }: RequestReport): readonly ReportMetric[] {
  const count = (name: string, pick: (of: ReportMetrics) => number): ReportMetric => ({
    name,
    value: String(pick(metrics)),
    before: String(meanBefore(pick(before))),
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

/** So many sources are named; the others are one line. */
const MAX_SOURCES = 8;

export interface ReportBar {
  /** A stranger's words where it is a source. */
  readonly label: string;
  readonly requests: number;
  /** The mean of the periods before. */
  readonly before: number;
  /** The label is an address of sales. */
  readonly isOwn?: true;
}

const toBar = (label: string, groups: readonly ReportGroup[]): ReportBar => ({
  label,
  requests: groups.reduce((sum, { requests }) => sum + requests, 0),
  before: meanBefore(groups.reduce((sum, { requestsBefore }) => sum + requestsBefore, 0)),
});

/** The requests of each source, the most frequent first. */
export function listSources({ sources }: RequestReport): readonly ReportBar[] {
  const others = sources.slice(MAX_SOURCES);

  return [
    ...sources.slice(0, MAX_SOURCES).map((group) => toBar(group.value ?? 'Not known', [group])),
    ...(others.length > 0 ? [toBar('Others', others)] : []),
  ];
}

interface SourceResult {
  /** A stranger's words. */
  readonly label: string;
  /** The share of its requests that are not a fit. */
  readonly unfitPercent: number;
  readonly medianMs: number | null;
}

/** What became of the requests of each of the most frequent sources. */
export const listSourceResults = ({ sources }: RequestReport): readonly SourceResult[] =>
  sources
    .slice(0, MAX_SOURCES)
    .filter(({ requests }) => requests > 0)
    .map(({ value, requests, unfit, medianMs }) => ({
      label: value ?? 'Not known',
      unfitPercent: Math.round((unfit / requests) * 100),
      medianMs,
    }));

/** The requests of each industry, the most frequent first. */
export const listIndustries = ({ industries }: RequestReport): readonly ReportBar[] =>
  industries.map((group) =>
    toBar(isIndustryOption(group.value) ? getIndustryLabel(group.value) : (group.value ?? 'Not given'), [group]),
  );

/** The answered requests of each who answered, the busiest first. */
export const listAnswers = ({ answers }: RequestReport): readonly ReportBar[] =>
  answers.map((group) => ({ ...toBar(group.value ?? 'Somebody', [group]), isOwn: true }));
