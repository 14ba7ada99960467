import type { SolutionSlug } from '../solutions.ts';
import { aiTransformation } from './ai-transformation.ts';
import { contractCompliance } from './contract-compliance.ts';
import { crossSellingAi } from './cross-selling-ai.ts';
import { expenseReductionAi } from './expense-reduction-ai.ts';
import { fractionalCaio } from './fractional-caio.ts';
import { processAutomation } from './process-automation.ts';
import type { SolutionPage } from './solution-page.ts';
import { vendorManagement } from './vendor-management.ts';
import { whiteLabelPlatform } from './white-label-platform.ts';

/** The text of every solution's page. */
export const solutionPages: Readonly<Record<SolutionSlug, SolutionPage>> = {
  'ai-transformation': aiTransformation,
  'process-automation': processAutomation,
  'white-label-platform': whiteLabelPlatform,
  'fractional-caio': fractionalCaio,
  'expense-reduction-ai': expenseReductionAi,
  'contract-compliance': contractCompliance,
  'vendor-management': vendorManagement,
  'cross-selling-ai': crossSellingAi,
};
