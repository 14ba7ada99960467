import { aiTransformation } from '../../../shared/content/solution-pages/ai-transformation.ts';
import type { ScreenParams } from '../../app/screen-registry.ts';
import landscape from '../../assets/pictures/ai-transformation.jpg?hero';
import portrait from '../../assets/pictures/ai-transformation.jpg?right-half';
import { EstimateSection } from '../../features/estimate/estimate-section.tsx';
import { loadEstimateForm } from '../../features/estimate/estimate-slot.tsx';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

const screen = makeSolutionScreen(
  'ai-transformation',
  aiTransformation,
  { landscape, portrait },
  {
    importVignette: () => import('../../features/vignettes/ai-transformation-vignette.tsx'),
    vignetteSection: 'benefits',
    rhythm: {
      challenges: { layout: 'split' },
      benefits: { tone: 'deep' },
      mapping: { tone: 'cream' },
      howItWorks: { layout: 'mirrored' },
    },
  },
  <EstimateSection />,
);

export const { Screen, getMeta, getHeroPicture } = screen;

export async function load(params: ScreenParams): Promise<void> {
  await Promise.all([screen.load(params), loadEstimateForm()]);
}
