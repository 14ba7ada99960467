import { aiTransformation } from '../../../shared/content/solution-pages/ai-transformation.ts';
import landscape from '../../assets/pictures/ai-transformation.jpg?hero';
import portrait from '../../assets/pictures/ai-transformation.jpg?right-half';
import { makeSolutionScreen } from '../solution/make-solution-screen.tsx';

export const { Screen, getMeta, getHeroPicture } = makeSolutionScreen('ai-transformation', aiTransformation, {
  landscape,
  portrait,
});
