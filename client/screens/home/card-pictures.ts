import aiTransformation from '../../assets/pictures/ai-transformation-card.webp?card';
import processAutomation from '../../assets/pictures/process-automation-card.webp?card';
import whiteLabelPlatform from '../../assets/pictures/white-label-platform-card.webp?card';
import fractionalCaio from '../../assets/pictures/fractional-caio-card.webp?card';
import expenseReductionAi from '../../assets/pictures/expense-reduction-ai-card.webp?card';
import contractCompliance from '../../assets/pictures/contract-compliance-card.webp?card';
import vendorManagement from '../../assets/pictures/vendor-management-card.webp?card';
import crossSellingAi from '../../assets/pictures/cross-selling-ai-card.webp?card';
import type { PictureFile } from '../../components/picture-source.ts';
import type { SolutionSlug } from '../../../shared/content/solutions.ts';

/** The picture of every solution's card. */
export const cardPictures: Readonly<Record<SolutionSlug, PictureFile>> = {
  'ai-transformation': aiTransformation,
  'process-automation': processAutomation,
  'white-label-platform': whiteLabelPlatform,
  'fractional-caio': fractionalCaio,
  'expense-reduction-ai': expenseReductionAi,
  'contract-compliance': contractCompliance,
  'vendor-management': vendorManagement,
  'cross-selling-ai': crossSellingAi,
};
