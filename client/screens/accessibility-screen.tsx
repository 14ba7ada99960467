import * as text from '../../shared/content/legal/accessibility.mdx';
import { makeLegalScreen } from './legal/legal-page.tsx';

export const { Screen, getMeta } = makeLegalScreen(text);
