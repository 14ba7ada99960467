import Fastify from 'fastify';
import pino from 'pino';
import { openSync } from 'node:fs';
const v=process.env.V; const body=Buffer.alloc(11000,97);
const H={'content-security-policy':"default-src 'none'; script-src 'self'; style-src 'self' 'sha256-IEe3jYswrTCUBLUSmkmPudylp9emuAc2Ue4GWCVq0jU='; img-src 'self'; font-src 'self'; media-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
'x-content-type-options':'nosniff','referrer-policy':'strict-origin-when-cross-origin','permissions-policy':'accelerometer=(), browsing-topics=(), camera=(), compute-pressure=(), display-capture=(), encrypted-media=(), gamepad=(), geolocation=(), gyroscope=(), hid=(), identity-credentials-get=(), idle-detection=(), keyboard-map=(), local-fonts=(), magnetometer=(), microphone=(), midi=(), otp-credentials=(), payment=(), publickey-credentials-create=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), storage-access=(), usb=(), window-management=(), xr-spatial-tracking=()','cross-origin-opener-policy':'same-origin','cross-origin-embedder-policy':'require-corp','cross-origin-resource-policy':'same-origin','origin-agent-cluster':'?1','x-frame-options':'DENY','cache-control':'public, max-age=0','vary':'Accept-Encoding','etag':'"ZSjEBR7pbjsmbZn5EHyEIo-br"','content-encoding':'br'};
const fs=process.binding?null:null;
const o={}; if(v.includes('t')) o.handlerTimeout=30000; if(v.includes('k')) {o.keepAliveTimeout=72000;o.connectionTimeout=120000;o.requestTimeout=15000;}
const app=Fastify(o);
if(v.includes('h')) app.addHook('onRequest', async (q,r)=>{r.headers(H)});
if(v.includes('H')) app.addHook('onRequest', (q,r,d)=>{r.headers(H);d()});
if(v.includes('a')) {for(let i=0;i<2;i++){app.addHook('onRequest', async()=>{});app.addHook('onSend',async()=>{});app.addHook('onResponse',async()=>{});}}
if(v.includes('A')) {for(let i=0;i<2;i++){app.addHook('onRequest', (q,r,d)=>d());app.addHook('onSend',(q,r,p,d)=>d());app.addHook('onResponse',(q,r,d)=>d());}}
if(v.includes('l')) {const log=pino({timestamp:pino.stdTimeFunctions.isoTime,base:{process:'web'}},pino.destination({fd:1,sync:true}));app.addHook('onResponse',(q,r,d)=>{log.info({reqId:q.id,method:q.method,route:'/*',status:r.statusCode,ms:Math.round(r.elapsedTime*10)/10},'answered');d()});}
if(v.includes('L')) {const log=pino({timestamp:pino.stdTimeFunctions.isoTime,base:{process:'web'}},pino.destination({fd:1,sync:false,minLength:4096}));app.addHook('onResponse',(q,r,d)=>{log.info({reqId:q.id,method:q.method,route:'/*',status:r.statusCode,ms:Math.round(r.elapsedTime*10)/10},'answered');d()});}
if(v.includes('p')) app.get('/', async()=>body); else app.get('/',(q,r)=>{r.type('text/html; charset=utf-8').send(body)});
await app.listen({port:4188,host:'127.0.0.1'});
