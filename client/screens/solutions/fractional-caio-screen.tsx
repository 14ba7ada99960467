import { fractionalCaio } from '../../../shared/content/solution-pages/fractional-caio.ts';
import landscape from '../../assets/pictures/fractional-caio.jpg?hero';
import portrait from '../../assets/pictures/fractional-caio.jpg?right-half';
import { Scene } from '../../features/vignettes/fractional-caio-vignette.tsx';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

export const { Screen, getMeta, getHeroPicture } = makeSolutionScreen(
  'fractional-caio',
  fractionalCaio,
  { landscape, portrait },
  {
    vignette: import.meta.env.SSR && <Scene />,
    vignetteSection: 'benefits',
    rhythm: {
      benefits: { tone: 'deep', layout: 'pictureLast' },
      howItWorks: { tone: 'cream' },
    },
  },
);
