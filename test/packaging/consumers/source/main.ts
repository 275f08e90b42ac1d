import { probe } from './app.js';

void probe().then((replies) => console.log(JSON.stringify(replies)));
