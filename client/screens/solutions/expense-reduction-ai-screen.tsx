import { expenseReductionAi } from '../../../shared/content/solution-pages/expense-reduction-ai.ts';
import landscape from '../../assets/pictures/expense-reduction-ai.jpg?hero';
import portrait from '../../assets/pictures/expense-reduction-ai.jpg?right-half';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

export const { load, Screen, getMeta, getHeroPicture } = makeSolutionScreen(
  'expense-reduction-ai',
  expenseReductionAi,
  { landscape, portrait },
  {
    importVignette: () => import('../../features/vignettes/expense-reduction-ai-vignette.tsx'),
    vignetteSection: 'platform',
    rhythm: {
      pairs: { tone: 'cream', layout: 'mirrored' },
      benefits: { tone: 'white', layout: 'split' },
      platform: { layout: 'bleed' },
      howItWorks: { tone: 'cream' },
    },
  },
);
