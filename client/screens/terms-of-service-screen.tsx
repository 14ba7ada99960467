import * as text from '#files/legal/terms-of-service.mdx';
import { makeLegalScreen } from './legal/legal-page.tsx';

export const { Screen, getMeta } = makeLegalScreen(text);
