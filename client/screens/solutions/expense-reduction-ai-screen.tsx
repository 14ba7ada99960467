import { expenseReductionAi } from '../../../shared/content/solution-pages/expense-reduction-ai.ts';
import landscape from '../../assets/pictures/expense-reduction-ai.jpg?hero';
import portrait from '../../assets/pictures/expense-reduction-ai.jpg?right-half';
import { Scene } from '../../features/vignettes/expense-reduction-ai-vignette.tsx';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

export const { Screen, getMeta, getHeroPicture } = makeSolutionScreen(
  'expense-reduction-ai',
  expenseReductionAi,
  { landscape, portrait },
  {
    vignette: import.meta.env.SSR && <Scene />,
    vignetteSection: 'platform',
    rhythm: {
      pairs: { tone: 'cream', layout: 'mirrored' },
      benefits: { tone: 'white', layout: 'split' },
      platform: { layout: 'bleed' },
      howItWorks: { tone: 'cream' },
    },
  },
);
