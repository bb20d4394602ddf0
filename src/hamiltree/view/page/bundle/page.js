"use strict";(()=>{var Se=(i,t)=>[i[0]+t[0],i[1]+t[1],i[2]+t[2]],Tn=(i,t)=>[i[0]-t[0],i[1]-t[1],i[2]-t[2]],xe=(i,t)=>[i*t[0],i*t[1],i*t[2]],mn=(i,t)=>i[0]*t[0]+i[1]*t[1]+i[2]*t[2],In=i=>Math.hypot(i[0],i[1],i[2]);function ir(i,t){return[i[1]*t[2]-i[2]*t[1],i[2]*t[0]-i[0]*t[2],i[0]*t[1]-i[1]*t[0]]}function sr(i){let t=In(i);return t>0?xe(1/t,i):[0,0,1]}function Hr(i,t){return[i[0]*t[0]-i[1]*t[1]-i[2]*t[2]-i[3]*t[3],i[0]*t[1]+i[1]*t[0]+i[2]*t[3]-i[3]*t[2],i[0]*t[2]-i[1]*t[3]+i[2]*t[0]+i[3]*t[1],i[0]*t[3]+i[1]*t[2]-i[2]*t[1]+i[3]*t[0]]}var cp=i=>[i[0],-i[1],-i[2],-i[3]];function Ln(i,t){let e=[i[1],i[2],i[3]],n=ir(e,t),s=ir(e,n);return[0,1,2].map(r=>t[r]+2*(i[0]*n[r]+s[r]))}function hp(i,t){let[e,n,s]=sr(i),r=Math.sin(t/2);return[Math.cos(t/2),r*e,r*n,r*s]}function Is(i){let[t,e,n]=sr(i);if(n<-.999999999)return[0,1,0,0];let s=Math.sqrt((1+n)/2);return[s,-e/(2*s),t/(2*s),0]}function up(i){let t=sr(i),e=Math.abs(t[0])<.9?[1,0,0]:[0,1,0],n=sr(Tn(e,xe(mn(e,t),t)));return[n,ir(t,n)]}function ul(i,t,e,n){let s=i[t+3],r=i[t+4],o=i[t+5],a=i[t+6];e[n]=1-2*(o*o+a*a),e[n+1]=2*(r*o-s*a),e[n+2]=2*(r*a+s*o),e[n+3]=i[t],e[n+4]=2*(r*o+s*a),e[n+5]=1-2*(r*r+a*a),e[n+6]=2*(o*a-s*r),e[n+7]=i[t+1],e[n+8]=2*(r*a-s*o),e[n+9]=2*(o*a+s*r),e[n+10]=1-2*(r*r+o*o),e[n+11]=i[t+2]}var fp=35*Math.PI/180,K_=1.06,dp=88,bu=Math.PI/2,Mu=.12;function rr(i,t){let[e,n]=pp(t),s=Math.cos(i.elevation),r=Se(xe(Math.cos(i.azimuth),e),xe(Math.sin(i.azimuth),n)),o=sr(Se(xe(s,r),xe(Math.sin(i.elevation),t))),a=Se(xe(-Math.sin(i.azimuth),e),xe(Math.cos(i.azimuth),n)),l=sr(a);return{right:l,up:ir(o,l),back:o}}function pp(i){return i[2]>.999?[[1,0,0],[0,1,0]]:up(i)}function mp(i,t){return Se(i.target,xe(i.distance,rr(i,t).back))}function dl(i,t,e,n,s){let r=rr(i,t),o=Tn(e,i.target),a=i.distance-mn(o,r.back),l=Zo(i,n,s),c=i.isOrthographic?l:l*a/i.distance,h=s/2/c;return{x:n/2+h*mn(o,r.right),y:s/2-h*mn(o,r.up),depth:a}}function Zo(i,t,e){let n=i.distance*Math.tan(fp/2);return e<=t?n:n*e/t}function wu(i,t,e,n,s){let r=rr(i,e),o=Math.tan(fp/2),a=s>3*dp?dp/s:0,l=o*Math.max(1,n/s),c=o*Math.max(1,s/n)*(1-a),{low:h,high:u}=Jo(t),d=xe(.5,Se(h,u)),f=0;for(let v=0;v<4;v++){f=0;for(let{centre:p,radius:m}of t){let y=Tn(p,d),T=i.isOrthographic?0:mn(y,r.back),S=(Math.abs(mn(y,r.right))+m)/l,C=(Math.abs(mn(y,r.up))+m)/c;f=Math.max(f,T+Math.max(S,C))}f*=K_,d=Se(d,j_({...i,target:d,distance:f},t,r))}f=f||1;let g=Zo({...i,distance:f},n,s);return{...i,target:Se(d,xe(a*g,r.up)),distance:f}}function Jo(i){let t=[1/0,1/0,1/0],e=[-1/0,-1/0,-1/0];for(let{centre:n,radius:s}of i)for(let r=0;r<3;r++)t[r]=Math.min(t[r],n[r]-s),e[r]=Math.max(e[r],n[r]+s);return{low:t,high:e}}function j_(i,t,e){let n=[0,0,0];for(let s of[e.right,e.up]){let[r,o]=[1/0,-1/0];for(let{centre:a,radius:l}of t){let c=Tn(a,i.target),h=i.isOrthographic?i.distance:i.distance-mn(c,e.back),u=i.distance/Math.max(h,.1*i.distance)*mn(c,s);r=Math.min(r,u-l),o=Math.max(o,u+l)}n=Se(n,xe((r+o)/2,s))}return n}function gp(i,t){let e=Tn(i.high,i.low),n=Math.max(...e),[s,r]=pp(t),o=a=>Math.abs(e[0]*a[0])+Math.abs(e[1]*a[1])+Math.abs(e[2]*a[2]);return o(r)<Mu*n?{azimuth:-Math.PI/2+.3,elevation:.16}:o(s)<Mu*n?{azimuth:.3,elevation:.16}:o(t)<Mu*n?{azimuth:-Math.PI/2,elevation:1.05}:{azimuth:-1,elevation:.34}}function _p(i,t,e){let n=Math.max(-bu,Math.min(bu,i.elevation+e));return{...i,azimuth:i.azimuth-t,elevation:n}}function Au(i,t){return{...i,distance:i.distance*t}}function Tu(i,t,e,n,s,r){let o=rr(i,t),a=2*Zo(i,s,r)/r,l=Se(xe(-e*a,o.right),xe(n*a,o.up));return{...i,target:Se(i.target,l)}}function xp(i,t){return t==="z"?{...i,azimuth:-Math.PI/2,elevation:bu}:{...i,azimuth:t==="x"?0:-Math.PI/2,elevation:0}}function vt(i,t={},e=[]){let n=document.createElement(i);return t.class&&(n.className=t.class),t.text!==void 0&&(n.textContent=t.text),t.id&&(n.id=t.id),t.type&&n.setAttribute("type",t.type),t.label&&(n.setAttribute("aria-label",t.label),n.title=t.label),n.append(...e),n}function gn(i,t,e){let n=vt("button",{text:i,label:t,type:"button"});return n.addEventListener("click",e),n}function us(i,t,e,n){let s=gn(i,t,()=>{let r=s.getAttribute("aria-pressed")!=="true";s.setAttribute("aria-pressed",String(r)),n(r)});return s.setAttribute("aria-pressed",String(e)),s}function Ls(i,t,e,n){let s=vt("select",{label:i});for(let[r,o]of t){let a=vt("option",{text:o});a.value=r,s.append(a)}return s.value=e,s.addEventListener("change",()=>n(s.value)),s}function Q_(i){return i.includes(".")?i.replace(/\.?0+$/,""):i}function ke(i,t=4){if(!Number.isFinite(i))return String(i);if(i===0)return"0";let e=Math.abs(i);return e>=1e5||e<.001?i.toExponential(t-2).replace("e+","e").replaceAll("-","−"):Q_(i.toPrecision(t)).replace("-","−")}var yp=["box","sphere","cylinder","capsule","mesh"];function vp(i,t){let e=new Map(t.flatMap(n=>n.keys.map(s=>[s,n])));i.addEventListener("keydown",n=>{let s=n;if(s.ctrlKey||s.metaKey||s.altKey||tx(s.target,s.key))return;let r=e.get(s.key.length===1?s.key.toLowerCase():s.key);r&&(s.preventDefault(),r.act())})}function tx(i,t){return i instanceof HTMLElement?i instanceof HTMLSelectElement?!0:i instanceof HTMLInputElement?i.type!=="range"||t.startsWith("Arrow")||t==="Home"||t==="End":i instanceof HTMLButtonElement&&(t===" "||t==="Enter"):!1}var ex=60,fl=class{root=vt("div",{class:"labels"});entries;picture;isOn=!1;constructor(t){this.picture=t,this.root.setAttribute("aria-hidden","true");let e=t.world.data.scene.bodies.slice(0,ex);this.entries=e.map(n=>vt("span",{text:n}))}set(t){this.isOn=t,this.root.replaceChildren(...t?this.entries:[])}update(){if(!this.isOn)return;let{camera:t,stage:e,world:n}=this.picture;this.entries.forEach((s,r)=>{let o=dl(t,e.up,n.centre(r),e.width,e.height);s.hidden=o.depth<=0,s.style.transform=`translate(${o.x.toFixed(1)}px, ${o.y.toFixed(1)}px)`})}};var pl=class{frames;bodies;constructor(t,e){this.frames=t,this.bodies=e}get start(){return this.frames.t[0]??0}get end(){return this.frames.t[this.frames.t.length-1]??0}frameAt(t){return yi(this.frames.t,t)}poses(t,e){let n=this.weights(t);for(let s=0;s<this.bodies;s++)this.pose(s,n,e,7*s)}poseOf(t,e,n){this.pose(t,this.weights(e),n,0)}rates(t,e){let{first:n,second:s,part:r}=this.weights(t),{velocity:o,omega:a}=this.frames;for(let l=0;l<this.bodies;l++)for(let c=0;c<3;c++){let h=3*(n*this.bodies+l)+c,u=3*(s*this.bodies+l)+c;e[6*l+c]=o[h]+r*(o[u]-o[h]),e[6*l+3+c]=a[h]+r*(a[u]-a[h])}}weights(t){let e=this.frames.t,n=Math.max(0,Math.min(this.frameAt(t),e.length-2)),s=Math.min(n+1,e.length-1),r=e[s]-e[n],o=r>0?Math.max(0,Math.min(1,(t-e[n])/r)):0,a=(1-o)**2,l=o**2;return this.frames.isSmooth?{first:n,second:s,value:[(1+2*o)*a,(3-2*o)*l],rate:[r*o*a,-r*(1-o)*l],part:o}:{first:n,second:s,value:[1-o,o],rate:[0,0],part:o}}pose(t,e,n,s){let{position:r,quaternion:o,velocity:a}=this.frames,l=e.first*this.bodies+t,c=e.second*this.bodies+t,[h,u]=e.value,[d,f]=e.rate;for(let y=0;y<3;y++)n[s+y]=h*r[3*l+y]+u*r[3*c+y]+d*a[3*l+y]+f*a[3*c+y];let g=0,[v,p]=d||f?[this.turnRate(l),this.turnRate(c)]:[Sp,Sp];for(let y=0;y<4;y++){let T=h*o[4*l+y]+u*o[4*c+y]+d*v[y]+f*p[y];n[s+3+y]=T,g+=T*T}let m=g>0?1/Math.sqrt(g):0;for(let y=0;y<4;y++)n[s+3+y]*=m;m===0&&(n[s+3]=1)}turnRate(t){let{quaternion:e,omega:n}=this.frames;return Hr([0,n[3*t],n[3*t+1],n[3*t+2]],[e[4*t],e[4*t+1],e[4*t+2],e[4*t+3]]).map(r=>r/2)}},Sp=[0,0,0,0];function yi(i,t){let e=0,n=i.length-1;for(;e<n;){let s=e+n+1>>1;i[s]<=t?e=s:n=s-1}return e}function Mp(i){let t=i.figures.map(([n,s,r])=>{let o=vt("tr",{},[vt("th",{text:n}),vt("td",{text:s})]);return o.title=r,o}),e=i.notes.map(n=>vt("p",{class:"note",text:n}));return vt("section",{class:"figures",label:"Figures"},[vt("table",{},[vt("tbody",{},t)]),...e])}var ml=class{root;world;selection;values={};times;reactionTimes;forces;moments;constructor(t,e,n){this.world=t,this.selection=n,this.root=vt("section",{class:"details",label:"Selected part"});let{coordinates:s,reactions:r}=t.data;for(let o of["q","qdot","p"]){let a=s?.[o];a&&(this.values[o]=e.read(a))}this.times=s?e.read(s.t):[],this.reactionTimes=r?e.read(r.t):[],this.forces=r?e.read(r.force):null,this.moments=r?e.read(r.moment):null}update(t){let{selection:e}=this;this.root.hidden=!e.isAny,e.kind==="body"&&this.show(this.bodyRows(e.index)),e.kind==="joint"&&this.show(this.jointRows(e.index,t))}show(t){let[e,...n]=t,s=n.map(([r,o])=>vt("tr",{},[vt("th",{text:r}),vt("td",{text:o})]));this.root.replaceChildren(vt("h3",{text:e[1]}),vt("table",{},[vt("tbody",{},s)]))}bodyRows(t){let{world:e}=this,n=e.data.cards[t],s=[["",`body ${e.data.scene.bodies[t]}`]];return n&&(s.push(["mass",`${ke(n.mass)} kg`]),s.push(["centre of mass",`${or(n.com)} m`]),n.inertia.forEach((r,o)=>{s.push([o===0?"inertia":"",`${or(r)}${o===2?" kg m²":""}`])})),s.push(["at",`${or(e.centre(t))} m`]),e.data.kind==="run"&&(s.push(["velocity",`${or(e.velocity(t))} m/s`]),s.push(["angular velocity",`${or(e.rates.subarray(6*t+3))} rad/s`]),s.push(["kinetic energy",`${ke(e.kineticEnergy(t))} J`])),s}jointRows(t,e){let{data:n}=this.world,s=n.scene.joints[t],r=a=>a<0?"ground":n.scene.bodies[a],o=[["",`joint ${s.name}`],["kind",s.kind+(s.closesLoop?", closes a loop":"")],["joins",`${r(s.parent)} – ${r(s.child)}`]];for(let a of s.coordinates)o.push(...this.coordinateRows(a,e));return o.push(...this.reactionRows(s.name,e)),o}coordinateRows(t,e){let{coordinates:n,kinematics:s}=this.world.data,r=s?.coordinates.indexOf(t)??-1;if(r>=0&&this.world.q)return[[t,ke(this.world.q[r])]];let o=n?.names.indexOf(t)??-1;if(!n||o<0)return[];let a=yi(this.times,e)*n.names.length+o,l=n.units[o],c=[];return this.values.q&&c.push([t,`${ke(this.values.q[a])} ${l}`]),this.values.qdot&&c.push(["rate",`${ke(this.values.qdot[a])} ${l?`${l}/s`:""}`]),this.values.p&&c.push(["momentum",`${ke(this.values.p[a])} ${n.momentumUnits[o]}`]),c}reactionRows(t,e){let{reactions:n}=this.world.data;if(!n||!this.forces||!this.moments)return this.world.data.kind==="run"?[["reaction","see view(reactions=True)"]]:[];let s=n.names.indexOf(t);if(s<0)return[];let o=3*(yi(this.reactionTimes,e)*n.names.length+s),a=l=>[l[o],l[o+1],l[o+2]];return[["force",`${or(a(this.forces))} N`],["moment",`${or(a(this.moments))} N m`]]}};function or(i){return[0,1,2].map(t=>ke(i[t],3)).join(", ")}var am=0,od=1,lm=2;var _r=1,cm=2,bo=3,Xs=0,Qn=1,Qi=2,xr=0,wo=1,ad=2,ld=3,cd=4,hm=5;var yr=100,um=101,dm=102,fm=103,pm=104,mm=200,gm=201,_m=202,xm=203,hd=204,ud=205,ym=206,vm=207,Sm=208,Mm=209,bm=210,wm=211,Am=212,Tm=213,Em=214,Gl=0,Hl=1,Wl=2,ao=3,Xl=4,ql=5,Yl=6,$l=7,Pc=0,Cm=1,Rm=2,ts=0,dd=1,fd=2,pd=3,md=4,gd=5,_d=6,xd=7;var yd=300,vr=301,Ao=302,Ic=303,Lc=304,Zl=1e3,Ji=1001,Jl=1002,Rn=1003,Pm=1004;var Ba=1005;var Kn=1006,Dc=1007;var vs=1008;var si=1009,vd=1010,Sd=1011,To=1012,Nc=1013,Fi=1014,wi=1015,Oi=1016,Uc=1017,Fc=1018,Sr=1020,Md=35902,bd=35899,wd=1021,Ad=1022,Bi=1023,xs=1026,Ss=1027,Oc=1028,Bc=1029,qs=1030,kc=1031;var zc=1033,ka=33776,za=33777,Va=33778,Ga=33779,Vc=35840,Gc=35841,Hc=35842,Wc=35843,Xc=36196,qc=37492,Yc=37496,$c=37488,Zc=37489,Ha=37490,Jc=37491,Kc=37808,jc=37809,Qc=37810,th=37811,eh=37812,nh=37813,ih=37814,sh=37815,rh=37816,oh=37817,ah=37818,lh=37819,ch=37820,hh=37821,uh=36492,dh=36494,fh=36495,ph=36283,mh=36284,Wa=36285,gh=36286;var ca=2300,Kl=2301,zl=2302,ju=2303,Qu=2400,td=2401,ed=2402;var Im=3200;var Xa=0,Lm=1,Ms="",Jn="srgb",ha="srgb-linear",ua="linear",Ee="srgb";var Vl=7680;var Dm=519,Nm=512,Um=513,Fm=514,Td=515,Om=516,Bm=517,Ed=518,Cd=519,Rd=35044,Pd=35048;var Id="300 es",Si=2e3,lo=2001;function nx(i){for(let t=i.length-1;t>=0;--t)if(i[t]>=65535)return!0;return!1}function ix(i){return ArrayBuffer.isView(i)&&!(i instanceof DataView)}function da(i){return document.createElementNS("http://www.w3.org/1999/xhtml",i)}function km(){let i=da("canvas");return i.style.display="block",i}var bp={},co=null;function fa(...i){let t="THREE."+i.shift();co?co("log",t,...i):console.log(t,...i)}function zm(i){let t=i[0];if(typeof t=="string"&&t.startsWith("TSL:")){let e=i[1];e&&e.isStackTrace?i[0]+=" "+e.getLocation():i[1]='Stack trace not available. Enable "THREE.Node.captureStackTrace" to capture stack traces.'}return i}function $t(...i){i=zm(i);let t="THREE."+i.shift();if(co)co("warn",t,...i);else{let e=i[0];e&&e.isStackTrace?console.warn(e.getError(t)):console.warn(t,...i)}}function Qt(...i){i=zm(i);let t="THREE."+i.shift();if(co)co("error",t,...i);else{let e=i[0];e&&e.isStackTrace?console.error(e.getError(t)):console.error(t,...i)}}function sa(...i){let t=i.join(" ");t in bp||(bp[t]=!0,$t(...i))}function Vm(i,t,e){return new Promise(function(n,s){function r(){switch(i.clientWaitSync(t,i.SYNC_FLUSH_COMMANDS_BIT,0)){case i.WAIT_FAILED:s();break;case i.TIMEOUT_EXPIRED:setTimeout(r,e);break;default:n()}}setTimeout(r,e)})}var Gm={[Gl]:Gl,[Wl]:Yl,[Xl]:Xl,[ao]:ql,[Hl]:Hl,[Yl]:Wl,[$l]:$l,[ql]:ao},Ki=class{addEventListener(t,e){this._listeners===void 0&&(this._listeners={});let n=this._listeners;n[t]===void 0&&(n[t]=[]),n[t].indexOf(e)===-1&&n[t].push(e)}hasEventListener(t,e){let n=this._listeners;return n===void 0?!1:n[t]!==void 0&&n[t].indexOf(e)!==-1}removeEventListener(t,e){let n=this._listeners;if(n===void 0)return;let s=n[t];if(s!==void 0){let r=s.indexOf(e);r!==-1&&s.splice(r,1)}}dispatchEvent(t){let e=this._listeners;if(e===void 0)return;let n=e[t.type];if(n!==void 0){t.target=this;let s=n.slice(0);for(let r=0,o=s.length;r<o;r++)s[r].call(this,t);t.target=null}}},kn=["00","01","02","03","04","05","06","07","08","09","0a","0b","0c","0d","0e","0f","10","11","12","13","14","15","16","17","18","19","1a","1b","1c","1d","1e","1f","20","21","22","23","24","25","26","27","28","29","2a","2b","2c","2d","2e","2f","30","31","32","33","34","35","36","37","38","39","3a","3b","3c","3d","3e","3f","40","41","42","43","44","45","46","47","48","49","4a","4b","4c","4d","4e","4f","50","51","52","53","54","55","56","57","58","59","5a","5b","5c","5d","5e","5f","60","61","62","63","64","65","66","67","68","69","6a","6b","6c","6d","6e","6f","70","71","72","73","74","75","76","77","78","79","7a","7b","7c","7d","7e","7f","80","81","82","83","84","85","86","87","88","89","8a","8b","8c","8d","8e","8f","90","91","92","93","94","95","96","97","98","99","9a","9b","9c","9d","9e","9f","a0","a1","a2","a3","a4","a5","a6","a7","a8","a9","aa","ab","ac","ad","ae","af","b0","b1","b2","b3","b4","b5","b6","b7","b8","b9","ba","bb","bc","bd","be","bf","c0","c1","c2","c3","c4","c5","c6","c7","c8","c9","ca","cb","cc","cd","ce","cf","d0","d1","d2","d3","d4","d5","d6","d7","d8","d9","da","db","dc","dd","de","df","e0","e1","e2","e3","e4","e5","e6","e7","e8","e9","ea","eb","ec","ed","ee","ef","f0","f1","f2","f3","f4","f5","f6","f7","f8","f9","fa","fb","fc","fd","fe","ff"],wp=1234567,ra=Math.PI/180,ho=180/Math.PI;function Ys(){let i=Math.random()*4294967295|0,t=Math.random()*4294967295|0,e=Math.random()*4294967295|0,n=Math.random()*4294967295|0;return(kn[i&255]+kn[i>>8&255]+kn[i>>16&255]+kn[i>>24&255]+"-"+kn[t&255]+kn[t>>8&255]+"-"+kn[t>>16&15|64]+kn[t>>24&255]+"-"+kn[e&63|128]+kn[e>>8&255]+"-"+kn[e>>16&255]+kn[e>>24&255]+kn[n&255]+kn[n>>8&255]+kn[n>>16&255]+kn[n>>24&255]).toLowerCase()}function oe(i,t,e){return Math.max(t,Math.min(e,i))}function Ld(i,t){return(i%t+t)%t}function sx(i,t,e,n,s){return n+(i-t)*(s-n)/(e-t)}function rx(i,t,e){return i!==t?(e-i)/(t-i):0}function oa(i,t,e){return(1-e)*i+e*t}function ox(i,t,e,n){return oa(i,t,1-Math.exp(-e*n))}function ax(i,t=1){return t-Math.abs(Ld(i,t*2)-t)}function lx(i,t,e){return i<=t?0:i>=e?1:(i=(i-t)/(e-t),i*i*(3-2*i))}function cx(i,t,e){return i<=t?0:i>=e?1:(i=(i-t)/(e-t),i*i*i*(i*(i*6-15)+10))}function hx(i,t){return i+Math.floor(Math.random()*(t-i+1))}function ux(i,t){return i+Math.random()*(t-i)}function dx(i){return i*(.5-Math.random())}function fx(i){i!==void 0&&(wp=i);let t=wp+=1831565813;return t=Math.imul(t^t>>>15,t|1),t^=t+Math.imul(t^t>>>7,t|61),((t^t>>>14)>>>0)/4294967296}function px(i){return i*ra}function mx(i){return i*ho}function gx(i){return i>0&&Number.isInteger(i)&&2**Math.round(Math.log2(i))===i}function _x(i){return Math.pow(2,Math.ceil(Math.log(i)/Math.LN2))}function Dd(i){return Math.pow(2,Math.floor(Math.log(i)/Math.LN2))}function xx(i,t,e,n,s){let r=Math.cos,o=Math.sin,a=r(e/2),l=o(e/2),c=r((t+n)/2),h=o((t+n)/2),u=r((t-n)/2),d=o((t-n)/2),f=r((n-t)/2),g=o((n-t)/2);switch(s){case"XYX":i.set(a*h,l*u,l*d,a*c);break;case"YZY":i.set(l*d,a*h,l*u,a*c);break;case"ZXZ":i.set(l*u,l*d,a*h,a*c);break;case"XZX":i.set(a*h,l*g,l*f,a*c);break;case"YXY":i.set(l*f,a*h,l*g,a*c);break;case"ZYZ":i.set(l*g,l*f,a*h,a*c);break;default:$t("MathUtils: .setQuaternionFromProperEuler() encountered an unknown order: "+s)}}function _h(i){switch(i.constructor){case Uint32Array:return 4294967295;case Uint16Array:return 65535;case Uint8Array:case Uint8ClampedArray:return 255;case Int32Array:return 2147483647;case Int16Array:return 32767;case Int8Array:return 127;default:return}}function Nd(i,t){if(t.constructor===Float32Array)return i;let e=_h(t);if(e===void 0)throw new Error("THREE.MathUtils: Invalid component type.");return Math.max(i/e,-1)}function Ud(i,t){if(t.constructor===Float32Array)return i;let e=_h(t);if(e===void 0)throw new Error("THREE.MathUtils: Invalid component type.");return Math.round(i*e)}var Fd={DEG2RAD:ra,RAD2DEG:ho,generateUUID:Ys,clamp:oe,euclideanModulo:Ld,mapLinear:sx,inverseLerp:rx,lerp:oa,damp:ox,pingpong:ax,smoothstep:lx,smootherstep:cx,randInt:hx,randFloat:ux,randFloatSpread:dx,seededRandom:fx,degToRad:px,radToDeg:mx,isPowerOfTwo:gx,ceilPowerOfTwo:_x,floorPowerOfTwo:Dd,setQuaternionFromProperEuler:xx,normalize:Ud,denormalize:Nd},Gt=class{static{this.prototype.isVector2=!0}constructor(t=0,e=0){this.x=t,this.y=e}get width(){return this.x}set width(t){this.x=t}get height(){return this.y}set height(t){this.y=t}set(t,e){return this.x=t,this.y=e,this}setScalar(t){return this.x=t,this.y=t,this}setX(t){return this.x=t,this}setY(t){return this.y=t,this}setComponent(t,e){switch(t){case 0:this.x=e;break;case 1:this.y=e;break;default:throw new Error("THREE.Vector2: index is out of range: "+t)}return this}getComponent(t){switch(t){case 0:return this.x;case 1:return this.y;default:throw new Error("THREE.Vector2: index is out of range: "+t)}}clone(){return new this.constructor(this.x,this.y)}copy(t){return this.x=t.x,this.y=t.y,this}add(t){return this.x+=t.x,this.y+=t.y,this}addScalar(t){return this.x+=t,this.y+=t,this}addVectors(t,e){return this.x=t.x+e.x,this.y=t.y+e.y,this}addScaledVector(t,e){return this.x+=t.x*e,this.y+=t.y*e,this}sub(t){return this.x-=t.x,this.y-=t.y,this}subScalar(t){return this.x-=t,this.y-=t,this}subVectors(t,e){return this.x=t.x-e.x,this.y=t.y-e.y,this}multiply(t){return this.x*=t.x,this.y*=t.y,this}multiplyScalar(t){return this.x*=t,this.y*=t,this}divide(t){return this.x/=t.x,this.y/=t.y,this}divideScalar(t){return this.multiplyScalar(1/t)}applyMatrix3(t){let e=this.x,n=this.y,s=t.elements;return this.x=s[0]*e+s[3]*n+s[6],this.y=s[1]*e+s[4]*n+s[7],this}min(t){return this.x=Math.min(this.x,t.x),this.y=Math.min(this.y,t.y),this}max(t){return this.x=Math.max(this.x,t.x),this.y=Math.max(this.y,t.y),this}clamp(t,e){return this.x=oe(this.x,t.x,e.x),this.y=oe(this.y,t.y,e.y),this}clampScalar(t,e){return this.x=oe(this.x,t,e),this.y=oe(this.y,t,e),this}clampLength(t,e){let n=this.length();return this.divideScalar(n||1).multiplyScalar(oe(n,t,e))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this}negate(){return this.x=-this.x,this.y=-this.y,this}dot(t){return this.x*t.x+this.y*t.y}cross(t){return this.x*t.y-this.y*t.x}lengthSq(){return this.x*this.x+this.y*this.y}length(){return Math.sqrt(this.x*this.x+this.y*this.y)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)}normalize(){return this.divideScalar(this.length()||1)}angle(){return Math.atan2(-this.y,-this.x)+Math.PI}angleTo(t){let e=Math.sqrt(this.lengthSq()*t.lengthSq());if(e===0)return Math.PI/2;let n=this.dot(t)/e;return Math.acos(oe(n,-1,1))}distanceTo(t){return Math.sqrt(this.distanceToSquared(t))}distanceToSquared(t){let e=this.x-t.x,n=this.y-t.y;return e*e+n*n}manhattanDistanceTo(t){return Math.abs(this.x-t.x)+Math.abs(this.y-t.y)}setLength(t){return this.normalize().multiplyScalar(t)}lerp(t,e){return this.x+=(t.x-this.x)*e,this.y+=(t.y-this.y)*e,this}lerpVectors(t,e,n){return this.x=t.x+(e.x-t.x)*n,this.y=t.y+(e.y-t.y)*n,this}equals(t){return t.x===this.x&&t.y===this.y}fromArray(t,e=0){return this.x=t[e],this.y=t[e+1],this}toArray(t=[],e=0){return t[e]=this.x,t[e+1]=this.y,t}fromBufferAttribute(t,e){return this.x=t.getX(e),this.y=t.getY(e),this}rotateAround(t,e){let n=Math.cos(e),s=Math.sin(e),r=this.x-t.x,o=this.y-t.y;return this.x=r*n-o*s+t.x,this.y=r*s+o*n+t.y,this}random(){return this.x=Math.random(),this.y=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y}},ni=class{constructor(t=0,e=0,n=0,s=1){this.isQuaternion=!0,this._x=t,this._y=e,this._z=n,this._w=s}static slerpFlat(t,e,n,s,r,o,a){let l=n[s+0],c=n[s+1],h=n[s+2],u=n[s+3],d=r[o+0],f=r[o+1],g=r[o+2],v=r[o+3];if(u!==v||l!==d||c!==f||h!==g){let p=l*d+c*f+h*g+u*v;p<0&&(d=-d,f=-f,g=-g,v=-v,p=-p);let m=1-a;if(p<.9995){let y=Math.acos(p),T=Math.sin(y);m=Math.sin(m*y)/T,a=Math.sin(a*y)/T,l=l*m+d*a,c=c*m+f*a,h=h*m+g*a,u=u*m+v*a}else{l=l*m+d*a,c=c*m+f*a,h=h*m+g*a,u=u*m+v*a;let y=1/Math.sqrt(l*l+c*c+h*h+u*u);l*=y,c*=y,h*=y,u*=y}}t[e]=l,t[e+1]=c,t[e+2]=h,t[e+3]=u}static multiplyQuaternionsFlat(t,e,n,s,r,o){let a=n[s],l=n[s+1],c=n[s+2],h=n[s+3],u=r[o],d=r[o+1],f=r[o+2],g=r[o+3];return t[e]=a*g+h*u+l*f-c*d,t[e+1]=l*g+h*d+c*u-a*f,t[e+2]=c*g+h*f+a*d-l*u,t[e+3]=h*g-a*u-l*d-c*f,t}get x(){return this._x}set x(t){this._x=t,this._onChangeCallback()}get y(){return this._y}set y(t){this._y=t,this._onChangeCallback()}get z(){return this._z}set z(t){this._z=t,this._onChangeCallback()}get w(){return this._w}set w(t){this._w=t,this._onChangeCallback()}set(t,e,n,s){return this._x=t,this._y=e,this._z=n,this._w=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._w)}copy(t){return this._x=t.x,this._y=t.y,this._z=t.z,this._w=t.w,this._onChangeCallback(),this}setFromEuler(t,e=!0){let n=t._x,s=t._y,r=t._z,o=t._order,a=Math.cos,l=Math.sin,c=a(n/2),h=a(s/2),u=a(r/2),d=l(n/2),f=l(s/2),g=l(r/2);switch(o){case"XYZ":this._x=d*h*u+c*f*g,this._y=c*f*u-d*h*g,this._z=c*h*g+d*f*u,this._w=c*h*u-d*f*g;break;case"YXZ":this._x=d*h*u+c*f*g,this._y=c*f*u-d*h*g,this._z=c*h*g-d*f*u,this._w=c*h*u+d*f*g;break;case"ZXY":this._x=d*h*u-c*f*g,this._y=c*f*u+d*h*g,this._z=c*h*g+d*f*u,this._w=c*h*u-d*f*g;break;case"ZYX":this._x=d*h*u-c*f*g,this._y=c*f*u+d*h*g,this._z=c*h*g-d*f*u,this._w=c*h*u+d*f*g;break;case"YZX":this._x=d*h*u+c*f*g,this._y=c*f*u+d*h*g,this._z=c*h*g-d*f*u,this._w=c*h*u-d*f*g;break;case"XZY":this._x=d*h*u-c*f*g,this._y=c*f*u-d*h*g,this._z=c*h*g+d*f*u,this._w=c*h*u+d*f*g;break;default:$t("Quaternion: .setFromEuler() encountered an unknown order: "+o)}return e===!0&&this._onChangeCallback(),this}setFromAxisAngle(t,e){let n=e/2,s=Math.sin(n);return this._x=t.x*s,this._y=t.y*s,this._z=t.z*s,this._w=Math.cos(n),this._onChangeCallback(),this}setFromRotationMatrix(t){let e=t.elements,n=e[0],s=e[4],r=e[8],o=e[1],a=e[5],l=e[9],c=e[2],h=e[6],u=e[10],d=n+a+u;if(d>0){let f=.5/Math.sqrt(d+1);this._w=.25/f,this._x=(h-l)*f,this._y=(r-c)*f,this._z=(o-s)*f}else if(n>a&&n>u){let f=2*Math.sqrt(1+n-a-u);this._w=(h-l)/f,this._x=.25*f,this._y=(s+o)/f,this._z=(r+c)/f}else if(a>u){let f=2*Math.sqrt(1+a-n-u);this._w=(r-c)/f,this._x=(s+o)/f,this._y=.25*f,this._z=(l+h)/f}else{let f=2*Math.sqrt(1+u-n-a);this._w=(o-s)/f,this._x=(r+c)/f,this._y=(l+h)/f,this._z=.25*f}return this._onChangeCallback(),this}setFromUnitVectors(t,e){let n=t.dot(e)+1;return n<1e-8?(n=0,Math.abs(t.x)>Math.abs(t.z)?(this._x=-t.y,this._y=t.x,this._z=0,this._w=n):(this._x=0,this._y=-t.z,this._z=t.y,this._w=n)):(this._x=t.y*e.z-t.z*e.y,this._y=t.z*e.x-t.x*e.z,this._z=t.x*e.y-t.y*e.x,this._w=n),this.normalize()}angleTo(t){return 2*Math.acos(Math.abs(oe(this.dot(t),-1,1)))}rotateTowards(t,e){let n=this.angleTo(t);if(n===0)return this;let s=Math.min(1,e/n);return this.slerp(t,s),this}identity(){return this.set(0,0,0,1)}invert(){return this.conjugate()}conjugate(){return this._x*=-1,this._y*=-1,this._z*=-1,this._onChangeCallback(),this}dot(t){return this._x*t._x+this._y*t._y+this._z*t._z+this._w*t._w}lengthSq(){return this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w}length(){return Math.sqrt(this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w)}normalize(){let t=this.length();return t===0?(this._x=0,this._y=0,this._z=0,this._w=1):(t=1/t,this._x=this._x*t,this._y=this._y*t,this._z=this._z*t,this._w=this._w*t),this._onChangeCallback(),this}multiply(t){return this.multiplyQuaternions(this,t)}premultiply(t){return this.multiplyQuaternions(t,this)}multiplyQuaternions(t,e){let n=t._x,s=t._y,r=t._z,o=t._w,a=e._x,l=e._y,c=e._z,h=e._w;return this._x=n*h+o*a+s*c-r*l,this._y=s*h+o*l+r*a-n*c,this._z=r*h+o*c+n*l-s*a,this._w=o*h-n*a-s*l-r*c,this._onChangeCallback(),this}slerp(t,e){let n=t._x,s=t._y,r=t._z,o=t._w,a=this.dot(t);a<0&&(n=-n,s=-s,r=-r,o=-o,a=-a);let l=1-e;if(a<.9995){let c=Math.acos(a),h=Math.sin(c);l=Math.sin(l*c)/h,e=Math.sin(e*c)/h,this._x=this._x*l+n*e,this._y=this._y*l+s*e,this._z=this._z*l+r*e,this._w=this._w*l+o*e,this._onChangeCallback()}else this._x=this._x*l+n*e,this._y=this._y*l+s*e,this._z=this._z*l+r*e,this._w=this._w*l+o*e,this.normalize();return this}slerpQuaternions(t,e,n){return this.copy(t).slerp(e,n)}random(){let t=2*Math.PI*Math.random(),e=2*Math.PI*Math.random(),n=Math.random(),s=Math.sqrt(1-n),r=Math.sqrt(n);return this.set(s*Math.sin(t),s*Math.cos(t),r*Math.sin(e),r*Math.cos(e))}equals(t){return t._x===this._x&&t._y===this._y&&t._z===this._z&&t._w===this._w}fromArray(t,e=0){return this._x=t[e],this._y=t[e+1],this._z=t[e+2],this._w=t[e+3],this._onChangeCallback(),this}toArray(t=[],e=0){return t[e]=this._x,t[e+1]=this._y,t[e+2]=this._z,t[e+3]=this._w,t}fromBufferAttribute(t,e){return this._x=t.getX(e),this._y=t.getY(e),this._z=t.getZ(e),this._w=t.getW(e),this._onChangeCallback(),this}toJSON(){return this.toArray()}_onChange(t){return this._onChangeCallback=t,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._w}},U=class{static{this.prototype.isVector3=!0}constructor(t=0,e=0,n=0){this.x=t,this.y=e,this.z=n}set(t,e,n){return n===void 0&&(n=this.z),this.x=t,this.y=e,this.z=n,this}setScalar(t){return this.x=t,this.y=t,this.z=t,this}setX(t){return this.x=t,this}setY(t){return this.y=t,this}setZ(t){return this.z=t,this}setComponent(t,e){switch(t){case 0:this.x=e;break;case 1:this.y=e;break;case 2:this.z=e;break;default:throw new Error("THREE.Vector3: index is out of range: "+t)}return this}getComponent(t){switch(t){case 0:return this.x;case 1:return this.y;case 2:return this.z;default:throw new Error("THREE.Vector3: index is out of range: "+t)}}clone(){return new this.constructor(this.x,this.y,this.z)}copy(t){return this.x=t.x,this.y=t.y,this.z=t.z,this}add(t){return this.x+=t.x,this.y+=t.y,this.z+=t.z,this}addScalar(t){return this.x+=t,this.y+=t,this.z+=t,this}addVectors(t,e){return this.x=t.x+e.x,this.y=t.y+e.y,this.z=t.z+e.z,this}addScaledVector(t,e){return this.x+=t.x*e,this.y+=t.y*e,this.z+=t.z*e,this}sub(t){return this.x-=t.x,this.y-=t.y,this.z-=t.z,this}subScalar(t){return this.x-=t,this.y-=t,this.z-=t,this}subVectors(t,e){return this.x=t.x-e.x,this.y=t.y-e.y,this.z=t.z-e.z,this}multiply(t){return this.x*=t.x,this.y*=t.y,this.z*=t.z,this}multiplyScalar(t){return this.x*=t,this.y*=t,this.z*=t,this}multiplyVectors(t,e){return this.x=t.x*e.x,this.y=t.y*e.y,this.z=t.z*e.z,this}applyEuler(t){return this.applyQuaternion(Ap.setFromEuler(t))}applyAxisAngle(t,e){return this.applyQuaternion(Ap.setFromAxisAngle(t,e))}applyMatrix3(t){let e=this.x,n=this.y,s=this.z,r=t.elements;return this.x=r[0]*e+r[3]*n+r[6]*s,this.y=r[1]*e+r[4]*n+r[7]*s,this.z=r[2]*e+r[5]*n+r[8]*s,this}applyNormalMatrix(t){return this.applyMatrix3(t).normalize()}applyMatrix4(t){let e=this.x,n=this.y,s=this.z,r=t.elements,o=1/(r[3]*e+r[7]*n+r[11]*s+r[15]);return this.x=(r[0]*e+r[4]*n+r[8]*s+r[12])*o,this.y=(r[1]*e+r[5]*n+r[9]*s+r[13])*o,this.z=(r[2]*e+r[6]*n+r[10]*s+r[14])*o,this}applyQuaternion(t){let e=this.x,n=this.y,s=this.z,r=t.x,o=t.y,a=t.z,l=t.w,c=2*(o*s-a*n),h=2*(a*e-r*s),u=2*(r*n-o*e);return this.x=e+l*c+o*u-a*h,this.y=n+l*h+a*c-r*u,this.z=s+l*u+r*h-o*c,this}project(t){return this.applyMatrix4(t.matrixWorldInverse).applyMatrix4(t.projectionMatrix)}unproject(t){return this.applyMatrix4(t.projectionMatrixInverse).applyMatrix4(t.matrixWorld)}transformDirection(t){let e=this.x,n=this.y,s=this.z,r=t.elements;return this.x=r[0]*e+r[4]*n+r[8]*s,this.y=r[1]*e+r[5]*n+r[9]*s,this.z=r[2]*e+r[6]*n+r[10]*s,this.normalize()}divide(t){return this.x/=t.x,this.y/=t.y,this.z/=t.z,this}divideScalar(t){return this.multiplyScalar(1/t)}min(t){return this.x=Math.min(this.x,t.x),this.y=Math.min(this.y,t.y),this.z=Math.min(this.z,t.z),this}max(t){return this.x=Math.max(this.x,t.x),this.y=Math.max(this.y,t.y),this.z=Math.max(this.z,t.z),this}clamp(t,e){return this.x=oe(this.x,t.x,e.x),this.y=oe(this.y,t.y,e.y),this.z=oe(this.z,t.z,e.z),this}clampScalar(t,e){return this.x=oe(this.x,t,e),this.y=oe(this.y,t,e),this.z=oe(this.z,t,e),this}clampLength(t,e){let n=this.length();return this.divideScalar(n||1).multiplyScalar(oe(n,t,e))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this}dot(t){return this.x*t.x+this.y*t.y+this.z*t.z}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)}normalize(){return this.divideScalar(this.length()||1)}setLength(t){return this.normalize().multiplyScalar(t)}lerp(t,e){return this.x+=(t.x-this.x)*e,this.y+=(t.y-this.y)*e,this.z+=(t.z-this.z)*e,this}lerpVectors(t,e,n){return this.x=t.x+(e.x-t.x)*n,this.y=t.y+(e.y-t.y)*n,this.z=t.z+(e.z-t.z)*n,this}cross(t){return this.crossVectors(this,t)}crossVectors(t,e){let n=t.x,s=t.y,r=t.z,o=e.x,a=e.y,l=e.z;return this.x=s*l-r*a,this.y=r*o-n*l,this.z=n*a-s*o,this}projectOnVector(t){let e=t.lengthSq();if(e===0)return this.set(0,0,0);let n=t.dot(this)/e;return this.copy(t).multiplyScalar(n)}projectOnPlane(t){return Eu.copy(this).projectOnVector(t),this.sub(Eu)}reflect(t){return this.sub(Eu.copy(t).multiplyScalar(2*this.dot(t)))}angleTo(t){let e=Math.sqrt(this.lengthSq()*t.lengthSq());if(e===0)return Math.PI/2;let n=this.dot(t)/e;return Math.acos(oe(n,-1,1))}distanceTo(t){return Math.sqrt(this.distanceToSquared(t))}distanceToSquared(t){let e=this.x-t.x,n=this.y-t.y,s=this.z-t.z;return e*e+n*n+s*s}manhattanDistanceTo(t){return Math.abs(this.x-t.x)+Math.abs(this.y-t.y)+Math.abs(this.z-t.z)}setFromSpherical(t){return this.setFromSphericalCoords(t.radius,t.phi,t.theta)}setFromSphericalCoords(t,e,n){let s=Math.sin(e)*t;return this.x=s*Math.sin(n),this.y=Math.cos(e)*t,this.z=s*Math.cos(n),this}setFromCylindrical(t){return this.setFromCylindricalCoords(t.radius,t.theta,t.y)}setFromCylindricalCoords(t,e,n){return this.x=t*Math.sin(e),this.y=n,this.z=t*Math.cos(e),this}setFromMatrixPosition(t){let e=t.elements;return this.x=e[12],this.y=e[13],this.z=e[14],this}setFromMatrixScale(t){let e=this.setFromMatrixColumn(t,0).length(),n=this.setFromMatrixColumn(t,1).length(),s=this.setFromMatrixColumn(t,2).length();return this.x=e,this.y=n,this.z=s,this}setFromMatrixColumn(t,e){return this.fromArray(t.elements,e*4)}setFromMatrix3Column(t,e){return this.fromArray(t.elements,e*3)}setFromEuler(t){return this.x=t._x,this.y=t._y,this.z=t._z,this}setFromColor(t){return this.x=t.r,this.y=t.g,this.z=t.b,this}equals(t){return t.x===this.x&&t.y===this.y&&t.z===this.z}fromArray(t,e=0){return this.x=t[e],this.y=t[e+1],this.z=t[e+2],this}toArray(t=[],e=0){return t[e]=this.x,t[e+1]=this.y,t[e+2]=this.z,t}fromBufferAttribute(t,e){return this.x=t.getX(e),this.y=t.getY(e),this.z=t.getZ(e),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this}randomDirection(){let t=Math.random()*Math.PI*2,e=Math.random()*2-1,n=Math.sqrt(1-e*e);return this.x=n*Math.cos(t),this.y=e,this.z=n*Math.sin(t),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z}},Eu=new U,Ap=new ni,ee=class{static{this.prototype.isMatrix3=!0}constructor(t,e,n,s,r,o,a,l,c){this.elements=[1,0,0,0,1,0,0,0,1],t!==void 0&&this.set(t,e,n,s,r,o,a,l,c)}set(t,e,n,s,r,o,a,l,c){let h=this.elements;return h[0]=t,h[1]=s,h[2]=a,h[3]=e,h[4]=r,h[5]=l,h[6]=n,h[7]=o,h[8]=c,this}identity(){return this.set(1,0,0,0,1,0,0,0,1),this}copy(t){let e=this.elements,n=t.elements;return e[0]=n[0],e[1]=n[1],e[2]=n[2],e[3]=n[3],e[4]=n[4],e[5]=n[5],e[6]=n[6],e[7]=n[7],e[8]=n[8],this}extractBasis(t,e,n){return t.setFromMatrix3Column(this,0),e.setFromMatrix3Column(this,1),n.setFromMatrix3Column(this,2),this}setFromMatrix4(t){let e=t.elements;return this.set(e[0],e[4],e[8],e[1],e[5],e[9],e[2],e[6],e[10]),this}multiply(t){return this.multiplyMatrices(this,t)}premultiply(t){return this.multiplyMatrices(t,this)}multiplyMatrices(t,e){let n=t.elements,s=e.elements,r=this.elements,o=n[0],a=n[3],l=n[6],c=n[1],h=n[4],u=n[7],d=n[2],f=n[5],g=n[8],v=s[0],p=s[3],m=s[6],y=s[1],T=s[4],S=s[7],C=s[2],E=s[5],_=s[8];return r[0]=o*v+a*y+l*C,r[3]=o*p+a*T+l*E,r[6]=o*m+a*S+l*_,r[1]=c*v+h*y+u*C,r[4]=c*p+h*T+u*E,r[7]=c*m+h*S+u*_,r[2]=d*v+f*y+g*C,r[5]=d*p+f*T+g*E,r[8]=d*m+f*S+g*_,this}multiplyScalar(t){let e=this.elements;return e[0]*=t,e[3]*=t,e[6]*=t,e[1]*=t,e[4]*=t,e[7]*=t,e[2]*=t,e[5]*=t,e[8]*=t,this}determinant(){let t=this.elements,e=t[0],n=t[1],s=t[2],r=t[3],o=t[4],a=t[5],l=t[6],c=t[7],h=t[8];return e*o*h-e*a*c-n*r*h+n*a*l+s*r*c-s*o*l}invert(){let t=this.elements,e=t[0],n=t[1],s=t[2],r=t[3],o=t[4],a=t[5],l=t[6],c=t[7],h=t[8],u=h*o-a*c,d=a*l-h*r,f=c*r-o*l,g=e*u+n*d+s*f;if(g===0)return this.set(0,0,0,0,0,0,0,0,0);let v=1/g;return t[0]=u*v,t[1]=(s*c-h*n)*v,t[2]=(a*n-s*o)*v,t[3]=d*v,t[4]=(h*e-s*l)*v,t[5]=(s*r-a*e)*v,t[6]=f*v,t[7]=(n*l-c*e)*v,t[8]=(o*e-n*r)*v,this}transpose(){let t,e=this.elements;return t=e[1],e[1]=e[3],e[3]=t,t=e[2],e[2]=e[6],e[6]=t,t=e[5],e[5]=e[7],e[7]=t,this}getNormalMatrix(t){return this.setFromMatrix4(t).invert().transpose()}transposeIntoArray(t){let e=this.elements;return t[0]=e[0],t[1]=e[3],t[2]=e[6],t[3]=e[1],t[4]=e[4],t[5]=e[7],t[6]=e[2],t[7]=e[5],t[8]=e[8],this}setUvTransform(t,e,n,s,r,o,a){let l=Math.cos(r),c=Math.sin(r);return this.set(n*l,n*c,-n*(l*o+c*a)+o+t,-s*c,s*l,-s*(-c*o+l*a)+a+e,0,0,1),this}scale(t,e){return sa("Matrix3: .scale() is deprecated. Use .makeScale() instead."),this.premultiply(Cu.makeScale(t,e)),this}rotate(t){return sa("Matrix3: .rotate() is deprecated. Use .makeRotation() instead."),this.premultiply(Cu.makeRotation(-t)),this}translate(t,e){return sa("Matrix3: .translate() is deprecated. Use .makeTranslation() instead."),this.premultiply(Cu.makeTranslation(t,e)),this}makeTranslation(t,e){return t.isVector2?this.set(1,0,t.x,0,1,t.y,0,0,1):this.set(1,0,t,0,1,e,0,0,1),this}makeRotation(t){let e=Math.cos(t),n=Math.sin(t);return this.set(e,-n,0,n,e,0,0,0,1),this}makeScale(t,e){return this.set(t,0,0,0,e,0,0,0,1),this}equals(t){let e=this.elements,n=t.elements;for(let s=0;s<9;s++)if(e[s]!==n[s])return!1;return!0}fromArray(t,e=0){for(let n=0;n<9;n++)this.elements[n]=t[n+e];return this}toArray(t=[],e=0){let n=this.elements;return t[e]=n[0],t[e+1]=n[1],t[e+2]=n[2],t[e+3]=n[3],t[e+4]=n[4],t[e+5]=n[5],t[e+6]=n[6],t[e+7]=n[7],t[e+8]=n[8],t}clone(){return new this.constructor().fromArray(this.elements)}},Cu=new ee,Tp=new ee().set(.4123908,.3575843,.1804808,.212639,.7151687,.0721923,.0193308,.1191948,.9505322),Ep=new ee().set(3.2409699,-1.5373832,-.4986108,-.9692436,1.8759675,.0415551,.0556301,-.203977,1.0569715);function yx(){let i={enabled:!0,workingColorSpace:ha,spaces:{},convert:function(s,r,o){return this.enabled===!1||r===o||!r||!o||(this.spaces[r].transfer===Ee&&(s.r=_s(s.r),s.g=_s(s.g),s.b=_s(s.b)),this.spaces[r].primaries!==this.spaces[o].primaries&&(s.applyMatrix3(this.spaces[r].toXYZ),s.applyMatrix3(this.spaces[o].fromXYZ)),this.spaces[o].transfer===Ee&&(s.r=oo(s.r),s.g=oo(s.g),s.b=oo(s.b))),s},workingToColorSpace:function(s,r){return this.convert(s,this.workingColorSpace,r)},colorSpaceToWorking:function(s,r){return this.convert(s,r,this.workingColorSpace)},getPrimaries:function(s){return this.spaces[s].primaries},getTransfer:function(s){return s===Ms?ua:this.spaces[s].transfer},getToneMappingMode:function(s){return this.spaces[s].outputColorSpaceConfig.toneMappingMode||"standard"},getLuminanceCoefficients:function(s,r=this.workingColorSpace){return s.fromArray(this.spaces[r].luminanceCoefficients)},define:function(s){Object.assign(this.spaces,s)},_getMatrix:function(s,r,o){return s.copy(this.spaces[o].fromXYZ).multiply(this.spaces[r].toXYZ)},_getDrawingBufferColorSpace:function(s){return this.spaces[s].outputColorSpaceConfig.drawingBufferColorSpace},_getUnpackColorSpace:function(s=this.workingColorSpace){return this.spaces[s].workingColorSpaceConfig.unpackColorSpace}},t=[.64,.33,.3,.6,.15,.06],e=[.2126,.7152,.0722],n=[.3127,.329];return i.define({[ha]:{primaries:t,whitePoint:n,transfer:ua,toXYZ:Tp,fromXYZ:Ep,luminanceCoefficients:e,workingColorSpaceConfig:{unpackColorSpace:Jn},outputColorSpaceConfig:{drawingBufferColorSpace:Jn}},[Jn]:{primaries:t,whitePoint:n,transfer:Ee,toXYZ:Tp,fromXYZ:Ep,luminanceCoefficients:e,outputColorSpaceConfig:{drawingBufferColorSpace:Jn}}}),i}var ge=yx();function _s(i){return i<.04045?i*.0773993808:Math.pow(i*.9478672986+.0521327014,2.4)}function oo(i){return i<.0031308?i*12.92:1.055*Math.pow(i,.41666)-.055}var Wr,jl=class{static getDataURL(t,e="image/png"){if(/^data:/i.test(t.src)||typeof HTMLCanvasElement>"u")return t.src;let n;if(t instanceof HTMLCanvasElement)n=t;else{Wr===void 0&&(Wr=da("canvas")),Wr.width=t.width,Wr.height=t.height;let s=Wr.getContext("2d");t instanceof ImageData?s.putImageData(t,0,0):s.drawImage(t,0,0,t.width,t.height),n=Wr}return n.toDataURL(e)}static sRGBToLinear(t){if(typeof HTMLImageElement<"u"&&t instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&t instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&t instanceof ImageBitmap){let e=da("canvas");e.width=t.width,e.height=t.height;let n=e.getContext("2d");n.drawImage(t,0,0,t.width,t.height);let s=n.getImageData(0,0,t.width,t.height),r=s.data;for(let o=0;o<r.length;o++)r[o]=_s(r[o]/255)*255;return n.putImageData(s,0,0),e}else if(t.data){let e=t.data.slice(0);for(let n=0;n<e.length;n++)e instanceof Uint8Array||e instanceof Uint8ClampedArray?e[n]=Math.floor(_s(e[n]/255)*255):e[n]=_s(e[n]);return{data:e,width:t.width,height:t.height}}else return $t("ImageUtils.sRGBToLinear(): Unsupported image type. No color space conversion applied."),t}},vx=0,uo=class{constructor(t=null){this.isTextureSource=!0,Object.defineProperty(this,"id",{value:vx++}),this.uuid=Ys(),this.data=t,this.dataReady=!0,this.version=0}getSize(t){let e=this.data;return typeof HTMLVideoElement<"u"&&e instanceof HTMLVideoElement?t.set(e.videoWidth,e.videoHeight,0):typeof VideoFrame<"u"&&e instanceof VideoFrame?t.set(e.displayWidth,e.displayHeight,0):e!==null?t.set(e.width||0,e.height||0,e.depth||0):t.set(0,0,0),t}set needsUpdate(t){t===!0&&this.version++}toJSON(t){let e=t===void 0||typeof t=="string";if(!e&&t.images[this.uuid]!==void 0)return t.images[this.uuid];let n={uuid:this.uuid,url:""},s=this.data;if(s!==null){let r;if(Array.isArray(s)){r=[];for(let o=0,a=s.length;o<a;o++)s[o].isDataTexture?r.push(Ru(s[o].image)):r.push(Ru(s[o]))}else r=Ru(s);n.url=r}return e||(t.images[this.uuid]=n),n}};function Ru(i){return typeof HTMLImageElement<"u"&&i instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&i instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&i instanceof ImageBitmap?jl.getDataURL(i):i.data?{data:Array.from(i.data),width:i.width,height:i.height,type:i.data.constructor.name}:($t("Texture: Unable to serialize Texture."),{})}var Sx=0,Pu=new U,ii=class i extends Ki{constructor(t=i.DEFAULT_IMAGE,e=i.DEFAULT_MAPPING,n=Ji,s=Ji,r=Kn,o=vs,a=Bi,l=si,c=i.DEFAULT_ANISOTROPY,h=Ms){super(),this.isTexture=!0,Object.defineProperty(this,"id",{value:Sx++}),this.uuid=Ys(),this.name="",this.source=new uo(t),this.mipmaps=[],this.mapping=e,this.channel=0,this.wrapS=n,this.wrapT=s,this.magFilter=r,this.minFilter=o,this.anisotropy=c,this.format=a,this.internalFormat=null,this.type=l,this.offset=new Gt(0,0),this.repeat=new Gt(1,1),this.center=new Gt(0,0),this.rotation=0,this.matrixAutoUpdate=!0,this.matrix=new ee,this.generateMipmaps=!0,this.mipmapsAutoUpdate=!0,this.premultiplyAlpha=!1,this.flipY=!0,this.unpackAlignment=4,this.colorSpace=h,this.userData={},this.updateRanges=[],this.version=0,this.onUpdate=null,this.renderTarget=null,this.isRenderTargetTexture=!1,this.isArrayTexture=!!(t&&t.depth&&t.depth>1),this.pmremVersion=0,this.isPMREMTexture=!1,this.normalized=!1}get width(){return this.source.getSize(Pu).x}get height(){return this.source.getSize(Pu).y}get depth(){return this.source.getSize(Pu).z}get image(){return this.source.data}set image(t){this.source.data=t}updateMatrix(){this.matrix.setUvTransform(this.offset.x,this.offset.y,this.repeat.x,this.repeat.y,this.rotation,this.center.x,this.center.y)}addUpdateRange(t,e){this.updateRanges.push({start:t,count:e})}clearUpdateRanges(){this.updateRanges.length=0}clone(){return new this.constructor().copy(this)}copy(t){return this.name=t.name,this.source=t.source,this.mipmaps=t.mipmaps.slice(0),this.mapping=t.mapping,this.channel=t.channel,this.wrapS=t.wrapS,this.wrapT=t.wrapT,this.magFilter=t.magFilter,this.minFilter=t.minFilter,this.anisotropy=t.anisotropy,this.format=t.format,this.internalFormat=t.internalFormat,this.type=t.type,this.normalized=t.normalized,this.offset.copy(t.offset),this.repeat.copy(t.repeat),this.center.copy(t.center),this.rotation=t.rotation,this.matrixAutoUpdate=t.matrixAutoUpdate,this.matrix.copy(t.matrix),this.generateMipmaps=t.generateMipmaps,this.mipmapsAutoUpdate=t.mipmapsAutoUpdate,this.premultiplyAlpha=t.premultiplyAlpha,this.flipY=t.flipY,this.unpackAlignment=t.unpackAlignment,this.colorSpace=t.colorSpace,this.renderTarget=t.renderTarget,this.isRenderTargetTexture=t.isRenderTargetTexture,this.isPMREMTexture=t.isPMREMTexture,this.isArrayTexture=t.isArrayTexture,this.userData=JSON.parse(JSON.stringify(t.userData)),this.needsUpdate=!0,this}setValues(t){for(let e in t){let n=t[e];if(n===void 0){$t(`Texture.setValues(): parameter '${e}' has value of undefined.`);continue}let s=this[e];if(s===void 0){$t(`Texture.setValues(): property '${e}' does not exist.`);continue}s&&n&&s.isVector2&&n.isVector2||s&&n&&s.isVector3&&n.isVector3||s&&n&&s.isMatrix3&&n.isMatrix3?s.copy(n):this[e]=n}}toJSON(t){let e=t===void 0||typeof t=="string";if(!e&&t.textures[this.uuid]!==void 0)return t.textures[this.uuid];let n={metadata:{version:4.7,type:"Texture",generator:"Texture.toJSON"},uuid:this.uuid,name:this.name,image:this.source.toJSON(t).uuid,mapping:this.mapping,channel:this.channel,repeat:[this.repeat.x,this.repeat.y],offset:[this.offset.x,this.offset.y],center:[this.center.x,this.center.y],rotation:this.rotation,wrap:[this.wrapS,this.wrapT],format:this.format,internalFormat:this.internalFormat,type:this.type,normalized:this.normalized,colorSpace:this.colorSpace,minFilter:this.minFilter,magFilter:this.magFilter,anisotropy:this.anisotropy,flipY:this.flipY,generateMipmaps:this.generateMipmaps,mipmapsAutoUpdate:this.mipmapsAutoUpdate,premultiplyAlpha:this.premultiplyAlpha,unpackAlignment:this.unpackAlignment};return Object.keys(this.userData).length>0&&(n.userData=this.userData),e||(t.textures[this.uuid]=n),n}dispose(){this.dispatchEvent({type:"dispose"})}transformUv(t){if(this.mapping!==yd)return t;if(t.applyMatrix3(this.matrix),t.x<0||t.x>1)switch(this.wrapS){case Zl:t.x=t.x-Math.floor(t.x);break;case Ji:t.x=t.x<0?0:1;break;case Jl:Math.abs(Math.floor(t.x)%2)===1?t.x=Math.ceil(t.x)-t.x:t.x=t.x-Math.floor(t.x);break}if(t.y<0||t.y>1)switch(this.wrapT){case Zl:t.y=t.y-Math.floor(t.y);break;case Ji:t.y=t.y<0?0:1;break;case Jl:Math.abs(Math.floor(t.y)%2)===1?t.y=Math.ceil(t.y)-t.y:t.y=t.y-Math.floor(t.y);break}return this.flipY&&(t.y=1-t.y),t}set needsUpdate(t){t===!0&&(this.version++,this.source.needsUpdate=!0)}set needsPMREMUpdate(t){t===!0&&this.pmremVersion++}};ii.DEFAULT_IMAGE=null;ii.DEFAULT_MAPPING=yd;ii.DEFAULT_ANISOTROPY=1;var Ce=class{static{this.prototype.isVector4=!0}constructor(t=0,e=0,n=0,s=1){this.x=t,this.y=e,this.z=n,this.w=s}get width(){return this.z}set width(t){this.z=t}get height(){return this.w}set height(t){this.w=t}set(t,e,n,s){return this.x=t,this.y=e,this.z=n,this.w=s,this}setScalar(t){return this.x=t,this.y=t,this.z=t,this.w=t,this}setX(t){return this.x=t,this}setY(t){return this.y=t,this}setZ(t){return this.z=t,this}setW(t){return this.w=t,this}setComponent(t,e){switch(t){case 0:this.x=e;break;case 1:this.y=e;break;case 2:this.z=e;break;case 3:this.w=e;break;default:throw new Error("THREE.Vector4: index is out of range: "+t)}return this}getComponent(t){switch(t){case 0:return this.x;case 1:return this.y;case 2:return this.z;case 3:return this.w;default:throw new Error("THREE.Vector4: index is out of range: "+t)}}clone(){return new this.constructor(this.x,this.y,this.z,this.w)}copy(t){return this.x=t.x,this.y=t.y,this.z=t.z,this.w=t.w!==void 0?t.w:1,this}add(t){return this.x+=t.x,this.y+=t.y,this.z+=t.z,this.w+=t.w,this}addScalar(t){return this.x+=t,this.y+=t,this.z+=t,this.w+=t,this}addVectors(t,e){return this.x=t.x+e.x,this.y=t.y+e.y,this.z=t.z+e.z,this.w=t.w+e.w,this}addScaledVector(t,e){return this.x+=t.x*e,this.y+=t.y*e,this.z+=t.z*e,this.w+=t.w*e,this}sub(t){return this.x-=t.x,this.y-=t.y,this.z-=t.z,this.w-=t.w,this}subScalar(t){return this.x-=t,this.y-=t,this.z-=t,this.w-=t,this}subVectors(t,e){return this.x=t.x-e.x,this.y=t.y-e.y,this.z=t.z-e.z,this.w=t.w-e.w,this}multiply(t){return this.x*=t.x,this.y*=t.y,this.z*=t.z,this.w*=t.w,this}multiplyScalar(t){return this.x*=t,this.y*=t,this.z*=t,this.w*=t,this}applyMatrix4(t){let e=this.x,n=this.y,s=this.z,r=this.w,o=t.elements;return this.x=o[0]*e+o[4]*n+o[8]*s+o[12]*r,this.y=o[1]*e+o[5]*n+o[9]*s+o[13]*r,this.z=o[2]*e+o[6]*n+o[10]*s+o[14]*r,this.w=o[3]*e+o[7]*n+o[11]*s+o[15]*r,this}divide(t){return this.x/=t.x,this.y/=t.y,this.z/=t.z,this.w/=t.w,this}divideScalar(t){return this.multiplyScalar(1/t)}setAxisAngleFromQuaternion(t){this.w=2*Math.acos(t.w);let e=Math.sqrt(1-t.w*t.w);return e<1e-4?(this.x=1,this.y=0,this.z=0):(this.x=t.x/e,this.y=t.y/e,this.z=t.z/e),this}setAxisAngleFromRotationMatrix(t){let e,n,s,r,l=t.elements,c=l[0],h=l[4],u=l[8],d=l[1],f=l[5],g=l[9],v=l[2],p=l[6],m=l[10];if(Math.abs(h-d)<.01&&Math.abs(u-v)<.01&&Math.abs(g-p)<.01){if(Math.abs(h+d)<.1&&Math.abs(u+v)<.1&&Math.abs(g+p)<.1&&Math.abs(c+f+m-3)<.1)return this.set(1,0,0,0),this;e=Math.PI;let T=(c+1)/2,S=(f+1)/2,C=(m+1)/2,E=(h+d)/4,_=(u+v)/4,w=(g+p)/4;return T>S&&T>C?T<.01?(n=0,s=.707106781,r=.707106781):(n=Math.sqrt(T),s=E/n,r=_/n):S>C?S<.01?(n=.707106781,s=0,r=.707106781):(s=Math.sqrt(S),n=E/s,r=w/s):C<.01?(n=.707106781,s=.707106781,r=0):(r=Math.sqrt(C),n=_/r,s=w/r),this.set(n,s,r,e),this}let y=Math.sqrt((p-g)*(p-g)+(u-v)*(u-v)+(d-h)*(d-h));return Math.abs(y)<.001&&(y=1),this.x=(p-g)/y,this.y=(u-v)/y,this.z=(d-h)/y,this.w=Math.acos((c+f+m-1)/2),this}setFromMatrixPosition(t){let e=t.elements;return this.x=e[12],this.y=e[13],this.z=e[14],this.w=e[15],this}min(t){return this.x=Math.min(this.x,t.x),this.y=Math.min(this.y,t.y),this.z=Math.min(this.z,t.z),this.w=Math.min(this.w,t.w),this}max(t){return this.x=Math.max(this.x,t.x),this.y=Math.max(this.y,t.y),this.z=Math.max(this.z,t.z),this.w=Math.max(this.w,t.w),this}clamp(t,e){return this.x=oe(this.x,t.x,e.x),this.y=oe(this.y,t.y,e.y),this.z=oe(this.z,t.z,e.z),this.w=oe(this.w,t.w,e.w),this}clampScalar(t,e){return this.x=oe(this.x,t,e),this.y=oe(this.y,t,e),this.z=oe(this.z,t,e),this.w=oe(this.w,t,e),this}clampLength(t,e){let n=this.length();return this.divideScalar(n||1).multiplyScalar(oe(n,t,e))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this.w=Math.floor(this.w),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this.w=Math.ceil(this.w),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this.w=Math.round(this.w),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this.w=Math.trunc(this.w),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this.w=-this.w,this}dot(t){return this.x*t.x+this.y*t.y+this.z*t.z+this.w*t.w}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)+Math.abs(this.w)}normalize(){return this.divideScalar(this.length()||1)}setLength(t){return this.normalize().multiplyScalar(t)}lerp(t,e){return this.x+=(t.x-this.x)*e,this.y+=(t.y-this.y)*e,this.z+=(t.z-this.z)*e,this.w+=(t.w-this.w)*e,this}lerpVectors(t,e,n){return this.x=t.x+(e.x-t.x)*n,this.y=t.y+(e.y-t.y)*n,this.z=t.z+(e.z-t.z)*n,this.w=t.w+(e.w-t.w)*n,this}equals(t){return t.x===this.x&&t.y===this.y&&t.z===this.z&&t.w===this.w}fromArray(t,e=0){return this.x=t[e],this.y=t[e+1],this.z=t[e+2],this.w=t[e+3],this}toArray(t=[],e=0){return t[e]=this.x,t[e+1]=this.y,t[e+2]=this.z,t[e+3]=this.w,t}fromBufferAttribute(t,e){return this.x=t.getX(e),this.y=t.getY(e),this.z=t.getZ(e),this.w=t.getW(e),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this.w=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z,yield this.w}},Ql=class extends Ki{constructor(t=1,e=1,n={}){super(),n=Object.assign({generateMipmaps:!1,internalFormat:null,minFilter:Kn,depthBuffer:!0,stencilBuffer:!1,resolveColorBuffer:!0,resolveDepthBuffer:!0,resolveStencilBuffer:!0,storeMultisampledColorBuffer:!0,storeMultisampledDepthBuffer:!0,storeMultisampledStencilBuffer:!0,depthTexture:null,samples:0,count:1,depth:1,multiview:!1,useArrayDepthTexture:!1},n),this.isRenderTarget=!0,this.width=t,this.height=e,this.depth=n.depth,this.scissor=new Ce(0,0,t,e),this.scissorTest=!1,this.viewport=new Ce(0,0,t,e),this.textures=[];let s=n.count;for(let r=0;r<s;r++)this.textures[r]=new ii({width:t,height:e,depth:n.depth}),this.textures[r].isRenderTargetTexture=!0,this.textures[r].renderTarget=this;this._setTextureOptions(n),this.depthBuffer=n.depthBuffer,this.stencilBuffer=n.stencilBuffer,this.resolveColorBuffer=n.resolveColorBuffer,this.resolveDepthBuffer=n.resolveDepthBuffer,this.resolveStencilBuffer=n.resolveStencilBuffer,this.storeMultisampledColorBuffer=n.storeMultisampledColorBuffer,this.storeMultisampledDepthBuffer=n.storeMultisampledDepthBuffer,this.storeMultisampledStencilBuffer=n.storeMultisampledStencilBuffer,this._depthTexture=null,this.depthTexture=n.depthTexture,this.samples=n.samples,this.multiview=n.multiview,this.useArrayDepthTexture=n.useArrayDepthTexture}_setTextureOptions(t={}){let e={minFilter:Kn,generateMipmaps:!1,flipY:!1,internalFormat:null};t.mapping!==void 0&&(e.mapping=t.mapping),t.wrapS!==void 0&&(e.wrapS=t.wrapS),t.wrapT!==void 0&&(e.wrapT=t.wrapT),t.wrapR!==void 0&&(e.wrapR=t.wrapR),t.magFilter!==void 0&&(e.magFilter=t.magFilter),t.minFilter!==void 0&&(e.minFilter=t.minFilter),t.format!==void 0&&(e.format=t.format),t.type!==void 0&&(e.type=t.type),t.anisotropy!==void 0&&(e.anisotropy=t.anisotropy),t.colorSpace!==void 0&&(e.colorSpace=t.colorSpace),t.flipY!==void 0&&(e.flipY=t.flipY),t.generateMipmaps!==void 0&&(e.generateMipmaps=t.generateMipmaps),t.mipmapsAutoUpdate!==void 0&&(e.mipmapsAutoUpdate=t.mipmapsAutoUpdate),t.internalFormat!==void 0&&(e.internalFormat=t.internalFormat);for(let n=0;n<this.textures.length;n++)this.textures[n].setValues(e)}get texture(){return this.textures[0]}set texture(t){this.textures[0]=t}set depthTexture(t){this._depthTexture!==null&&this._depthTexture.renderTarget===this&&(this._depthTexture.renderTarget=null),t!==null&&t.renderTarget===null&&(t.renderTarget=this),this._depthTexture=t}get depthTexture(){return this._depthTexture}setSize(t,e,n=1){if(this.width!==t||this.height!==e||this.depth!==n){this.width=t,this.height=e,this.depth=n;for(let s=0,r=this.textures.length;s<r;s++)this.textures[s].image.width=t,this.textures[s].image.height=e,this.textures[s].image.depth=n,this.textures[s].isData3DTexture!==!0&&(this.textures[s].isArrayTexture=this.textures[s].image.depth>1);this.dispose()}this.viewport.set(0,0,t,e),this.scissor.set(0,0,t,e)}clone(){return new this.constructor().copy(this)}copy(t){this.width=t.width,this.height=t.height,this.depth=t.depth,this.scissor.copy(t.scissor),this.scissorTest=t.scissorTest,this.viewport.copy(t.viewport),this.textures.length=0;for(let e=0,n=t.textures.length;e<n;e++){this.textures[e]=t.textures[e].clone(),this.textures[e].isRenderTargetTexture=!0,this.textures[e].renderTarget=this;let s=Object.assign({},t.textures[e].image);this.textures[e].source=new uo(s)}if(this.depthBuffer=t.depthBuffer,this.stencilBuffer=t.stencilBuffer,this.resolveColorBuffer=t.resolveColorBuffer,this.resolveDepthBuffer=t.resolveDepthBuffer,this.resolveStencilBuffer=t.resolveStencilBuffer,this.storeMultisampledColorBuffer=t.storeMultisampledColorBuffer,this.storeMultisampledDepthBuffer=t.storeMultisampledDepthBuffer,this.storeMultisampledStencilBuffer=t.storeMultisampledStencilBuffer,t.depthTexture!==null)if(t.depthTexture.renderTarget===t){let e=t.depthTexture.clone();e.renderTarget=null,this.depthTexture=e}else this.depthTexture=t.depthTexture;else this.depthTexture=null;return this.samples=t.samples,this.multiview=t.multiview,this.useArrayDepthTexture=t.useArrayDepthTexture,this}dispose(){this.dispatchEvent({type:"dispose"})}},ui=class extends Ql{constructor(t=1,e=1,n={}){super(t,e,n),this.isWebGLRenderTarget=!0}},pa=class extends ii{constructor(t=null,e=1,n=1,s=1){super(null),this.isDataArrayTexture=!0,this.image={data:t,width:e,height:n,depth:s},this.magFilter=Rn,this.minFilter=Rn,this.wrapR=Ji,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1,this.layerUpdates=new Set}copy(t){return super.copy(t),this.wrapR=t.wrapR,this}addLayerUpdate(t){this.layerUpdates.add(t)}clearLayerUpdates(){this.layerUpdates.clear()}};var tc=class extends ii{constructor(t=null,e=1,n=1,s=1){super(null),this.isData3DTexture=!0,this.image={data:t,width:e,height:n,depth:s},this.magFilter=Rn,this.minFilter=Rn,this.wrapR=Ji,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}copy(t){return super.copy(t),this.wrapR=t.wrapR,this}};var ve=class i{static{this.prototype.isMatrix4=!0}constructor(t,e,n,s,r,o,a,l,c,h,u,d,f,g,v,p){this.elements=[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],t!==void 0&&this.set(t,e,n,s,r,o,a,l,c,h,u,d,f,g,v,p)}set(t,e,n,s,r,o,a,l,c,h,u,d,f,g,v,p){let m=this.elements;return m[0]=t,m[4]=e,m[8]=n,m[12]=s,m[1]=r,m[5]=o,m[9]=a,m[13]=l,m[2]=c,m[6]=h,m[10]=u,m[14]=d,m[3]=f,m[7]=g,m[11]=v,m[15]=p,this}identity(){return this.set(1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1),this}clone(){return new i().fromArray(this.elements)}copy(t){let e=this.elements,n=t.elements;return e[0]=n[0],e[1]=n[1],e[2]=n[2],e[3]=n[3],e[4]=n[4],e[5]=n[5],e[6]=n[6],e[7]=n[7],e[8]=n[8],e[9]=n[9],e[10]=n[10],e[11]=n[11],e[12]=n[12],e[13]=n[13],e[14]=n[14],e[15]=n[15],this}copyPosition(t){let e=this.elements,n=t.elements;return e[12]=n[12],e[13]=n[13],e[14]=n[14],this}setFromMatrix3(t){let e=t.elements;return this.set(e[0],e[3],e[6],0,e[1],e[4],e[7],0,e[2],e[5],e[8],0,0,0,0,1),this}extractBasis(t,e,n){return this.determinantAffine()===0?(t.set(1,0,0),e.set(0,1,0),n.set(0,0,1),this):(t.setFromMatrixColumn(this,0),e.setFromMatrixColumn(this,1),n.setFromMatrixColumn(this,2),this)}makeBasis(t,e,n){return this.set(t.x,e.x,n.x,0,t.y,e.y,n.y,0,t.z,e.z,n.z,0,0,0,0,1),this}extractRotation(t){if(t.determinantAffine()===0)return this.identity();let e=this.elements,n=t.elements,s=1/Xr.setFromMatrixColumn(t,0).length(),r=1/Xr.setFromMatrixColumn(t,1).length(),o=1/Xr.setFromMatrixColumn(t,2).length();return e[0]=n[0]*s,e[1]=n[1]*s,e[2]=n[2]*s,e[3]=0,e[4]=n[4]*r,e[5]=n[5]*r,e[6]=n[6]*r,e[7]=0,e[8]=n[8]*o,e[9]=n[9]*o,e[10]=n[10]*o,e[11]=0,e[12]=0,e[13]=0,e[14]=0,e[15]=1,this}makeRotationFromEuler(t){let e=this.elements,n=t.x,s=t.y,r=t.z,o=Math.cos(n),a=Math.sin(n),l=Math.cos(s),c=Math.sin(s),h=Math.cos(r),u=Math.sin(r);if(t.order==="XYZ"){let d=o*h,f=o*u,g=a*h,v=a*u;e[0]=l*h,e[4]=-l*u,e[8]=c,e[1]=f+g*c,e[5]=d-v*c,e[9]=-a*l,e[2]=v-d*c,e[6]=g+f*c,e[10]=o*l}else if(t.order==="YXZ"){let d=l*h,f=l*u,g=c*h,v=c*u;e[0]=d+v*a,e[4]=g*a-f,e[8]=o*c,e[1]=o*u,e[5]=o*h,e[9]=-a,e[2]=f*a-g,e[6]=v+d*a,e[10]=o*l}else if(t.order==="ZXY"){let d=l*h,f=l*u,g=c*h,v=c*u;e[0]=d-v*a,e[4]=-o*u,e[8]=g+f*a,e[1]=f+g*a,e[5]=o*h,e[9]=v-d*a,e[2]=-o*c,e[6]=a,e[10]=o*l}else if(t.order==="ZYX"){let d=o*h,f=o*u,g=a*h,v=a*u;e[0]=l*h,e[4]=g*c-f,e[8]=d*c+v,e[1]=l*u,e[5]=v*c+d,e[9]=f*c-g,e[2]=-c,e[6]=a*l,e[10]=o*l}else if(t.order==="YZX"){let d=o*l,f=o*c,g=a*l,v=a*c;e[0]=l*h,e[4]=v-d*u,e[8]=g*u+f,e[1]=u,e[5]=o*h,e[9]=-a*h,e[2]=-c*h,e[6]=f*u+g,e[10]=d-v*u}else if(t.order==="XZY"){let d=o*l,f=o*c,g=a*l,v=a*c;e[0]=l*h,e[4]=-u,e[8]=c*h,e[1]=d*u+v,e[5]=o*h,e[9]=f*u-g,e[2]=g*u-f,e[6]=a*h,e[10]=v*u+d}return e[3]=0,e[7]=0,e[11]=0,e[12]=0,e[13]=0,e[14]=0,e[15]=1,this}makeRotationFromQuaternion(t){return this.compose(Mx,t,bx)}lookAt(t,e,n){let s=this.elements;return ci.subVectors(t,e),ci.lengthSq()===0&&(ci.z=1),ci.normalize(),Ds.crossVectors(n,ci),Ds.lengthSq()===0&&(Math.abs(n.z)===1?ci.x+=1e-4:ci.z+=1e-4,ci.normalize(),Ds.crossVectors(n,ci)),Ds.normalize(),gl.crossVectors(ci,Ds),s[0]=Ds.x,s[4]=gl.x,s[8]=ci.x,s[1]=Ds.y,s[5]=gl.y,s[9]=ci.y,s[2]=Ds.z,s[6]=gl.z,s[10]=ci.z,this}multiply(t){return this.multiplyMatrices(this,t)}premultiply(t){return this.multiplyMatrices(t,this)}multiplyMatrices(t,e){let n=t.elements,s=e.elements,r=this.elements,o=n[0],a=n[4],l=n[8],c=n[12],h=n[1],u=n[5],d=n[9],f=n[13],g=n[2],v=n[6],p=n[10],m=n[14],y=n[3],T=n[7],S=n[11],C=n[15],E=s[0],_=s[4],w=s[8],F=s[12],I=s[1],L=s[5],z=s[9],H=s[13],N=s[2],W=s[6],Y=s[10],G=s[14],lt=s[3],J=s[7],j=s[11],it=s[15];return r[0]=o*E+a*I+l*N+c*lt,r[4]=o*_+a*L+l*W+c*J,r[8]=o*w+a*z+l*Y+c*j,r[12]=o*F+a*H+l*G+c*it,r[1]=h*E+u*I+d*N+f*lt,r[5]=h*_+u*L+d*W+f*J,r[9]=h*w+u*z+d*Y+f*j,r[13]=h*F+u*H+d*G+f*it,r[2]=g*E+v*I+p*N+m*lt,r[6]=g*_+v*L+p*W+m*J,r[10]=g*w+v*z+p*Y+m*j,r[14]=g*F+v*H+p*G+m*it,r[3]=y*E+T*I+S*N+C*lt,r[7]=y*_+T*L+S*W+C*J,r[11]=y*w+T*z+S*Y+C*j,r[15]=y*F+T*H+S*G+C*it,this}multiplyScalar(t){let e=this.elements;return e[0]*=t,e[4]*=t,e[8]*=t,e[12]*=t,e[1]*=t,e[5]*=t,e[9]*=t,e[13]*=t,e[2]*=t,e[6]*=t,e[10]*=t,e[14]*=t,e[3]*=t,e[7]*=t,e[11]*=t,e[15]*=t,this}determinant(){let t=this.elements,e=t[0],n=t[4],s=t[8],r=t[12],o=t[1],a=t[5],l=t[9],c=t[13],h=t[2],u=t[6],d=t[10],f=t[14],g=t[3],v=t[7],p=t[11],m=t[15],y=l*f-c*d,T=a*f-c*u,S=a*d-l*u,C=o*f-c*h,E=o*d-l*h,_=o*u-a*h;return e*(v*y-p*T+m*S)-n*(g*y-p*C+m*E)+s*(g*T-v*C+m*_)-r*(g*S-v*E+p*_)}determinantAffine(){let t=this.elements,e=t[0],n=t[4],s=t[8],r=t[1],o=t[5],a=t[9],l=t[2],c=t[6],h=t[10];return e*(o*h-a*c)-n*(r*h-a*l)+s*(r*c-o*l)}transpose(){let t=this.elements,e;return e=t[1],t[1]=t[4],t[4]=e,e=t[2],t[2]=t[8],t[8]=e,e=t[6],t[6]=t[9],t[9]=e,e=t[3],t[3]=t[12],t[12]=e,e=t[7],t[7]=t[13],t[13]=e,e=t[11],t[11]=t[14],t[14]=e,this}setPosition(t,e,n){let s=this.elements;return t.isVector3?(s[12]=t.x,s[13]=t.y,s[14]=t.z):(s[12]=t,s[13]=e,s[14]=n),this}invert(){let t=this.elements,e=t[0],n=t[1],s=t[2],r=t[3],o=t[4],a=t[5],l=t[6],c=t[7],h=t[8],u=t[9],d=t[10],f=t[11],g=t[12],v=t[13],p=t[14],m=t[15],y=e*a-n*o,T=e*l-s*o,S=e*c-r*o,C=n*l-s*a,E=n*c-r*a,_=s*c-r*l,w=h*v-u*g,F=h*p-d*g,I=h*m-f*g,L=u*p-d*v,z=u*m-f*v,H=d*m-f*p,N=y*H-T*z+S*L+C*I-E*F+_*w;if(N===0)return this.set(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);let W=1/N;return t[0]=(a*H-l*z+c*L)*W,t[1]=(s*z-n*H-r*L)*W,t[2]=(v*_-p*E+m*C)*W,t[3]=(d*E-u*_-f*C)*W,t[4]=(l*I-o*H-c*F)*W,t[5]=(e*H-s*I+r*F)*W,t[6]=(p*S-g*_-m*T)*W,t[7]=(h*_-d*S+f*T)*W,t[8]=(o*z-a*I+c*w)*W,t[9]=(n*I-e*z-r*w)*W,t[10]=(g*E-v*S+m*y)*W,t[11]=(u*S-h*E-f*y)*W,t[12]=(a*F-o*L-l*w)*W,t[13]=(e*L-n*F+s*w)*W,t[14]=(v*T-g*C-p*y)*W,t[15]=(h*C-u*T+d*y)*W,this}scale(t){let e=this.elements,n=t.x,s=t.y,r=t.z;return e[0]*=n,e[4]*=s,e[8]*=r,e[1]*=n,e[5]*=s,e[9]*=r,e[2]*=n,e[6]*=s,e[10]*=r,e[3]*=n,e[7]*=s,e[11]*=r,this}getMaxScaleOnAxis(){let t=this.elements,e=t[0]*t[0]+t[1]*t[1]+t[2]*t[2],n=t[4]*t[4]+t[5]*t[5]+t[6]*t[6],s=t[8]*t[8]+t[9]*t[9]+t[10]*t[10];return Math.sqrt(Math.max(e,n,s))}makeTranslation(t,e,n){return t.isVector3?this.set(1,0,0,t.x,0,1,0,t.y,0,0,1,t.z,0,0,0,1):this.set(1,0,0,t,0,1,0,e,0,0,1,n,0,0,0,1),this}makeRotationX(t){let e=Math.cos(t),n=Math.sin(t);return this.set(1,0,0,0,0,e,-n,0,0,n,e,0,0,0,0,1),this}makeRotationY(t){let e=Math.cos(t),n=Math.sin(t);return this.set(e,0,n,0,0,1,0,0,-n,0,e,0,0,0,0,1),this}makeRotationZ(t){let e=Math.cos(t),n=Math.sin(t);return this.set(e,-n,0,0,n,e,0,0,0,0,1,0,0,0,0,1),this}makeRotationAxis(t,e){let n=Math.cos(e),s=Math.sin(e),r=1-n,o=t.x,a=t.y,l=t.z,c=r*o,h=r*a;return this.set(c*o+n,c*a-s*l,c*l+s*a,0,c*a+s*l,h*a+n,h*l-s*o,0,c*l-s*a,h*l+s*o,r*l*l+n,0,0,0,0,1),this}makeScale(t,e,n){return this.set(t,0,0,0,0,e,0,0,0,0,n,0,0,0,0,1),this}makeShear(t,e,n,s,r,o){return this.set(1,n,r,0,t,1,o,0,e,s,1,0,0,0,0,1),this}compose(t,e,n){let s=this.elements,r=e._x,o=e._y,a=e._z,l=e._w,c=r+r,h=o+o,u=a+a,d=r*c,f=r*h,g=r*u,v=o*h,p=o*u,m=a*u,y=l*c,T=l*h,S=l*u,C=n.x,E=n.y,_=n.z;return s[0]=(1-(v+m))*C,s[1]=(f+S)*C,s[2]=(g-T)*C,s[3]=0,s[4]=(f-S)*E,s[5]=(1-(d+m))*E,s[6]=(p+y)*E,s[7]=0,s[8]=(g+T)*_,s[9]=(p-y)*_,s[10]=(1-(d+v))*_,s[11]=0,s[12]=t.x,s[13]=t.y,s[14]=t.z,s[15]=1,this}decompose(t,e,n){let s=this.elements;t.x=s[12],t.y=s[13],t.z=s[14];let r=this.determinantAffine();if(r===0)return n.set(1,1,1),e.identity(),this;let o=Xr.set(s[0],s[1],s[2]).length(),a=Xr.set(s[4],s[5],s[6]).length(),l=Xr.set(s[8],s[9],s[10]).length();r<0&&(o=-o),Pi.copy(this);let c=1/o,h=1/a,u=1/l;return Pi.elements[0]*=c,Pi.elements[1]*=c,Pi.elements[2]*=c,Pi.elements[4]*=h,Pi.elements[5]*=h,Pi.elements[6]*=h,Pi.elements[8]*=u,Pi.elements[9]*=u,Pi.elements[10]*=u,e.setFromRotationMatrix(Pi),n.x=o,n.y=a,n.z=l,this}makePerspective(t,e,n,s,r,o,a=Si,l=!1){let c=this.elements,h=2*r/(e-t),u=2*r/(n-s),d=(e+t)/(e-t),f=(n+s)/(n-s),g,v;if(l)g=r/(o-r),v=o*r/(o-r);else if(a===Si)g=-(o+r)/(o-r),v=-2*o*r/(o-r);else if(a===lo)g=-o/(o-r),v=-o*r/(o-r);else throw new Error("THREE.Matrix4.makePerspective(): Invalid coordinate system: "+a);return c[0]=h,c[4]=0,c[8]=d,c[12]=0,c[1]=0,c[5]=u,c[9]=f,c[13]=0,c[2]=0,c[6]=0,c[10]=g,c[14]=v,c[3]=0,c[7]=0,c[11]=-1,c[15]=0,this}makeOrthographic(t,e,n,s,r,o,a=Si,l=!1){let c=this.elements,h=2/(e-t),u=2/(n-s),d=-(e+t)/(e-t),f=-(n+s)/(n-s),g,v;if(l)g=1/(o-r),v=o/(o-r);else if(a===Si)g=-2/(o-r),v=-(o+r)/(o-r);else if(a===lo)g=-1/(o-r),v=-r/(o-r);else throw new Error("THREE.Matrix4.makeOrthographic(): Invalid coordinate system: "+a);return c[0]=h,c[4]=0,c[8]=0,c[12]=d,c[1]=0,c[5]=u,c[9]=0,c[13]=f,c[2]=0,c[6]=0,c[10]=g,c[14]=v,c[3]=0,c[7]=0,c[11]=0,c[15]=1,this}equals(t){let e=this.elements,n=t.elements;for(let s=0;s<16;s++)if(e[s]!==n[s])return!1;return!0}fromArray(t,e=0){for(let n=0;n<16;n++)this.elements[n]=t[n+e];return this}toArray(t=[],e=0){let n=this.elements;return t[e]=n[0],t[e+1]=n[1],t[e+2]=n[2],t[e+3]=n[3],t[e+4]=n[4],t[e+5]=n[5],t[e+6]=n[6],t[e+7]=n[7],t[e+8]=n[8],t[e+9]=n[9],t[e+10]=n[10],t[e+11]=n[11],t[e+12]=n[12],t[e+13]=n[13],t[e+14]=n[14],t[e+15]=n[15],t}},Xr=new U,Pi=new ve,Mx=new U(0,0,0),bx=new U(1,1,1),Ds=new U,gl=new U,ci=new U,Cp=new ve,Rp=new ni,ji=class i{constructor(t=0,e=0,n=0,s=i.DEFAULT_ORDER){this.isEuler=!0,this._x=t,this._y=e,this._z=n,this._order=s}get x(){return this._x}set x(t){this._x=t,this._onChangeCallback()}get y(){return this._y}set y(t){this._y=t,this._onChangeCallback()}get z(){return this._z}set z(t){this._z=t,this._onChangeCallback()}get order(){return this._order}set order(t){this._order=t,this._onChangeCallback()}set(t,e,n,s=this._order){return this._x=t,this._y=e,this._z=n,this._order=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._order)}copy(t){return this._x=t._x,this._y=t._y,this._z=t._z,this._order=t._order,this._onChangeCallback(),this}setFromRotationMatrix(t,e=this._order,n=!0){let s=t.elements,r=s[0],o=s[4],a=s[8],l=s[1],c=s[5],h=s[9],u=s[2],d=s[6],f=s[10];switch(e){case"XYZ":this._y=Math.asin(oe(a,-1,1)),Math.abs(a)<.9999999?(this._x=Math.atan2(-h,f),this._z=Math.atan2(-o,r)):(this._x=Math.atan2(d,c),this._z=0);break;case"YXZ":this._x=Math.asin(-oe(h,-1,1)),Math.abs(h)<.9999999?(this._y=Math.atan2(a,f),this._z=Math.atan2(l,c)):(this._y=Math.atan2(-u,r),this._z=0);break;case"ZXY":this._x=Math.asin(oe(d,-1,1)),Math.abs(d)<.9999999?(this._y=Math.atan2(-u,f),this._z=Math.atan2(-o,c)):(this._y=0,this._z=Math.atan2(l,r));break;case"ZYX":this._y=Math.asin(-oe(u,-1,1)),Math.abs(u)<.9999999?(this._x=Math.atan2(d,f),this._z=Math.atan2(l,r)):(this._x=0,this._z=Math.atan2(-o,c));break;case"YZX":this._z=Math.asin(oe(l,-1,1)),Math.abs(l)<.9999999?(this._x=Math.atan2(-h,c),this._y=Math.atan2(-u,r)):(this._x=0,this._y=Math.atan2(a,f));break;case"XZY":this._z=Math.asin(-oe(o,-1,1)),Math.abs(o)<.9999999?(this._x=Math.atan2(d,c),this._y=Math.atan2(a,r)):(this._x=Math.atan2(-h,f),this._y=0);break;default:$t("Euler: .setFromRotationMatrix() encountered an unknown order: "+e)}return this._order=e,n===!0&&this._onChangeCallback(),this}setFromQuaternion(t,e,n){return Cp.makeRotationFromQuaternion(t),this.setFromRotationMatrix(Cp,e,n)}setFromVector3(t,e=this._order){return this.set(t.x,t.y,t.z,e)}reorder(t){return Rp.setFromEuler(this),this.setFromQuaternion(Rp,t)}equals(t){return t._x===this._x&&t._y===this._y&&t._z===this._z&&t._order===this._order}fromArray(t){return this._x=t[0],this._y=t[1],this._z=t[2],t[3]!==void 0&&(this._order=t[3]),this._onChangeCallback(),this}toArray(t=[],e=0){return t[e]=this._x,t[e+1]=this._y,t[e+2]=this._z,t[e+3]=this._order,t}_onChange(t){return this._onChangeCallback=t,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._order}};ji.DEFAULT_ORDER="XYZ";var fo=class{constructor(){this.mask=1}set(t){this.mask=(1<<t|0)>>>0}enable(t){this.mask|=1<<t|0}enableAll(){this.mask=-1}toggle(t){this.mask^=1<<t|0}disable(t){this.mask&=~(1<<t|0)}disableAll(){this.mask=0}test(t){return(this.mask&t.mask)!==0}isEnabled(t){return(this.mask&(1<<t|0))!==0}},wx=0,Pp=new U,qr=new ni,ds=new ve,_l=new U,Ko=new U,Ax=new U,Tx=new ni,Ip=new U(1,0,0),Lp=new U(0,1,0),Dp=new U(0,0,1),Np={type:"added"},Ex={type:"removed"},Yr={type:"childadded",child:null},Iu={type:"childremoved",child:null},Dn=class i extends Ki{constructor(){super(),this.isObject3D=!0,Object.defineProperty(this,"id",{value:wx++}),this.uuid=Ys(),this.name="",this.type="Object3D",this.parent=null,this.children=[],this.up=i.DEFAULT_UP.clone();let t=new U,e=new ji,n=new ni,s=new U(1,1,1);function r(){n.setFromEuler(e,!1)}function o(){e.setFromQuaternion(n,void 0,!1)}e._onChange(r),n._onChange(o),Object.defineProperties(this,{position:{configurable:!0,enumerable:!0,value:t},rotation:{configurable:!0,enumerable:!0,value:e},quaternion:{configurable:!0,enumerable:!0,value:n},scale:{configurable:!0,enumerable:!0,value:s},modelViewMatrix:{value:new ve},normalMatrix:{value:new ee}}),this.matrix=new ve,this.matrixWorld=new ve,this.matrixAutoUpdate=i.DEFAULT_MATRIX_AUTO_UPDATE,this.matrixWorldAutoUpdate=i.DEFAULT_MATRIX_WORLD_AUTO_UPDATE,this.matrixWorldNeedsUpdate=!1,this.layers=new fo,this.visible=!0,this.castShadow=!1,this.receiveShadow=!1,this.frustumCulled=!0,this.renderOrder=0,this.animations=[],this.customDepthMaterial=void 0,this.customDistanceMaterial=void 0,this.static=!1,this.userData={},this.pivot=null}onBeforeShadow(){}onAfterShadow(){}onBeforeRender(){}onAfterRender(){}applyMatrix4(t){this.matrixAutoUpdate&&this.updateMatrix(),this.matrix.premultiply(t),this.matrix.decompose(this.position,this.quaternion,this.scale),this.pivot!==null&&this.position.copy(this.pivot).applyMatrix4(this.matrix).sub(this.pivot)}applyQuaternion(t){return this.quaternion.premultiply(t),this}setRotationFromAxisAngle(t,e){this.quaternion.setFromAxisAngle(t,e)}setRotationFromEuler(t){this.quaternion.setFromEuler(t,!0)}setRotationFromMatrix(t){this.quaternion.setFromRotationMatrix(t)}setRotationFromQuaternion(t){this.quaternion.copy(t)}rotateOnAxis(t,e){return qr.setFromAxisAngle(t,e),this.quaternion.multiply(qr),this}rotateOnWorldAxis(t,e){return qr.setFromAxisAngle(t,e),this.quaternion.premultiply(qr),this}rotateX(t){return this.rotateOnAxis(Ip,t)}rotateY(t){return this.rotateOnAxis(Lp,t)}rotateZ(t){return this.rotateOnAxis(Dp,t)}translateOnAxis(t,e){return Pp.copy(t).applyQuaternion(this.quaternion),this.position.add(Pp.multiplyScalar(e)),this}translateX(t){return this.translateOnAxis(Ip,t)}translateY(t){return this.translateOnAxis(Lp,t)}translateZ(t){return this.translateOnAxis(Dp,t)}localToWorld(t){return this.updateWorldMatrix(!0,!1),t.applyMatrix4(this.matrixWorld)}worldToLocal(t){return this.updateWorldMatrix(!0,!1),t.applyMatrix4(ds.copy(this.matrixWorld).invert())}lookAt(t,e,n){t.isVector3?_l.copy(t):_l.set(t,e,n);let s=this.parent;this.updateWorldMatrix(!0,!1),Ko.setFromMatrixPosition(this.matrixWorld),this.isCamera||this.isLight?ds.lookAt(Ko,_l,this.up):ds.lookAt(_l,Ko,this.up),this.quaternion.setFromRotationMatrix(ds),s&&(ds.extractRotation(s.matrixWorld),qr.setFromRotationMatrix(ds),this.quaternion.premultiply(qr.invert()))}add(t){if(arguments.length>1){for(let e=0;e<arguments.length;e++)this.add(arguments[e]);return this}return t===this?(Qt("Object3D.add: object can't be added as a child of itself.",t),this):(t&&t.isObject3D?(t.removeFromParent(),t.parent=this,this.children.push(t),t.dispatchEvent(Np),Yr.child=t,this.dispatchEvent(Yr),Yr.child=null):Qt("Object3D.add: object not an instance of THREE.Object3D.",t),this)}remove(t){if(arguments.length>1){for(let n=0;n<arguments.length;n++)this.remove(arguments[n]);return this}let e=this.children.indexOf(t);return e!==-1&&(t.parent=null,this.children.splice(e,1),t.dispatchEvent(Ex),Iu.child=t,this.dispatchEvent(Iu),Iu.child=null),this}removeFromParent(){let t=this.parent;return t!==null&&t.remove(this),this}clear(){return this.remove(...this.children)}attach(t){return this.updateWorldMatrix(!0,!1),ds.copy(this.matrixWorld).invert(),t.parent!==null&&(t.parent.updateWorldMatrix(!0,!1),ds.multiply(t.parent.matrixWorld)),t.applyMatrix4(ds),t.removeFromParent(),t.parent=this,this.children.push(t),t.updateWorldMatrix(!1,!0),t.dispatchEvent(Np),Yr.child=t,this.dispatchEvent(Yr),Yr.child=null,this}getObjectById(t){return this.getObjectByProperty("id",t)}getObjectByName(t){return this.getObjectByProperty("name",t)}getObjectByProperty(t,e){if(this[t]===e)return this;for(let n=0,s=this.children.length;n<s;n++){let o=this.children[n].getObjectByProperty(t,e);if(o!==void 0)return o}}getObjectsByProperty(t,e,n=[]){this[t]===e&&n.push(this);let s=this.children;for(let r=0,o=s.length;r<o;r++)s[r].getObjectsByProperty(t,e,n);return n}getWorldPosition(t){return this.updateWorldMatrix(!0,!1),t.setFromMatrixPosition(this.matrixWorld)}getWorldQuaternion(t){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(Ko,t,Ax),t}getWorldScale(t){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(Ko,Tx,t),t}getWorldDirection(t){this.updateWorldMatrix(!0,!1);let e=this.matrixWorld.elements;return t.set(e[8],e[9],e[10]).normalize()}raycast(){}intersectsFrustum(){return!0}traverse(t){t(this);let e=this.children;for(let n=0,s=e.length;n<s;n++)e[n].traverse(t)}traverseVisible(t){if(this.visible===!1)return;t(this);let e=this.children;for(let n=0,s=e.length;n<s;n++)e[n].traverseVisible(t)}traverseAncestors(t){let e=this.parent;e!==null&&(t(e),e.traverseAncestors(t))}updateMatrix(){this.matrix.compose(this.position,this.quaternion,this.scale);let t=this.pivot;if(t!==null){let e=t.x,n=t.y,s=t.z,r=this.matrix.elements;r[12]+=e-r[0]*e-r[4]*n-r[8]*s,r[13]+=n-r[1]*e-r[5]*n-r[9]*s,r[14]+=s-r[2]*e-r[6]*n-r[10]*s}this.matrixWorldNeedsUpdate=!0}updateMatrixWorld(t){this.matrixAutoUpdate&&this.updateMatrix(),(this.matrixWorldNeedsUpdate||t)&&(this.matrixWorldAutoUpdate===!0&&(this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix)),this.matrixWorldNeedsUpdate=!1,t=!0);let e=this.children;for(let n=0,s=e.length;n<s;n++)e[n].updateMatrixWorld(t)}updateWorldMatrix(t,e,n=!1){let s=this.parent;if(t===!0&&s!==null&&s.updateWorldMatrix(!0,!1),this.matrixAutoUpdate&&this.updateMatrix(),(this.matrixWorldNeedsUpdate||n)&&(this.matrixWorldAutoUpdate===!0&&(this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix)),this.matrixWorldNeedsUpdate=!1,n=!0),e===!0){let r=this.children;for(let o=0,a=r.length;o<a;o++)r[o].updateWorldMatrix(!1,!0,n)}}toJSON(t){let e=t===void 0||typeof t=="string",n={};e&&(t={geometries:{},materials:{},textures:{},images:{},shapes:{},skeletons:{},animations:{},nodes:{}},n.metadata={version:4.7,type:"Object",generator:"Object3D.toJSON"});let s={};s.uuid=this.uuid,s.type=this.type,s.name=this.name,s.castShadow=this.castShadow,s.receiveShadow=this.receiveShadow,s.visible=this.visible,s.frustumCulled=this.frustumCulled,s.renderOrder=this.renderOrder,s.static=this.static,s.matrixAutoUpdate=this.matrixAutoUpdate,Object.keys(this.userData).length>0&&(s.userData=this.userData),s.layers=this.layers.mask,s.matrix=this.matrix.toArray(),s.up=this.up.toArray(),this.pivot!==null&&(s.pivot=this.pivot.toArray()),this.morphTargetDictionary!==void 0&&(s.morphTargetDictionary=Object.assign({},this.morphTargetDictionary)),this.morphTargetInfluences!==void 0&&(s.morphTargetInfluences=this.morphTargetInfluences.slice()),this.isInstancedMesh&&(s.type="InstancedMesh",s.count=this.count,s.instanceMatrix=this.instanceMatrix.toJSON(),this.instanceColor!==null&&(s.instanceColor=this.instanceColor.toJSON())),this.isBatchedMesh&&(s.type="BatchedMesh",s.perObjectFrustumCulled=this.perObjectFrustumCulled,s.sortObjects=this.sortObjects,s.drawRanges=this._drawRanges,s.reservedRanges=this._reservedRanges,s.geometryInfo=this._geometryInfo.map(a=>({...a,boundingBox:a.boundingBox?a.boundingBox.toJSON():void 0,boundingSphere:a.boundingSphere?a.boundingSphere.toJSON():void 0})),s.instanceInfo=this._instanceInfo.map(a=>({...a})),s.availableInstanceIds=this._availableInstanceIds.slice(),s.availableGeometryIds=this._availableGeometryIds.slice(),s.nextIndexStart=this._nextIndexStart,s.nextVertexStart=this._nextVertexStart,s.geometryCount=this._geometryCount,s.maxInstanceCount=this._maxInstanceCount,s.maxVertexCount=this._maxVertexCount,s.maxIndexCount=this._maxIndexCount,s.geometryInitialized=this._geometryInitialized,s.matricesTexture=this._matricesTexture.toJSON(t),s.indirectTexture=this._indirectTexture.toJSON(t),this._colorsTexture!==null&&(s.colorsTexture=this._colorsTexture.toJSON(t)),this.boundingSphere!==null&&(s.boundingSphere=this.boundingSphere.toJSON()),this.boundingBox!==null&&(s.boundingBox=this.boundingBox.toJSON()));function r(a,l){return a[l.uuid]===void 0&&(a[l.uuid]=l.toJSON(t)),l.uuid}if(this.isScene)this.background&&(this.background.isColor?s.background=this.background.toJSON():this.background.isTexture&&(s.background=this.background.toJSON(t).uuid)),this.environment&&this.environment.isTexture&&this.environment.isRenderTargetTexture!==!0&&(s.environment=this.environment.toJSON(t).uuid);else if(this.isMesh||this.isLine||this.isPoints){s.geometry=r(t.geometries,this.geometry);let a=this.geometry.parameters;if(a!==void 0&&a.shapes!==void 0){let l=a.shapes;if(Array.isArray(l))for(let c=0,h=l.length;c<h;c++){let u=l[c];r(t.shapes,u)}else r(t.shapes,l)}}if(this.isSkinnedMesh&&(s.bindMode=this.bindMode,s.bindMatrix=this.bindMatrix.toArray(),this.skeleton!==void 0&&(r(t.skeletons,this.skeleton),s.skeleton=this.skeleton.uuid)),this.material!==void 0)if(Array.isArray(this.material)){let a=[];for(let l=0,c=this.material.length;l<c;l++)a.push(r(t.materials,this.material[l]));s.material=a}else s.material=r(t.materials,this.material);if(this.children.length>0){s.children=[];for(let a=0;a<this.children.length;a++)s.children.push(this.children[a].toJSON(t).object)}if(this.animations.length>0){s.animations=[];for(let a=0;a<this.animations.length;a++){let l=this.animations[a];s.animations.push(r(t.animations,l))}}if(e){let a=o(t.geometries),l=o(t.materials),c=o(t.textures),h=o(t.images),u=o(t.shapes),d=o(t.skeletons),f=o(t.animations),g=o(t.nodes);a.length>0&&(n.geometries=a),l.length>0&&(n.materials=l),c.length>0&&(n.textures=c),h.length>0&&(n.images=h),u.length>0&&(n.shapes=u),d.length>0&&(n.skeletons=d),f.length>0&&(n.animations=f),g.length>0&&(n.nodes=g)}return n.object=s,n;function o(a){let l=[];for(let c in a){let h=a[c];delete h.metadata,l.push(h)}return l}}clone(t){return new this.constructor().copy(this,t)}copy(t,e=!0){if(this.name=t.name,this.up.copy(t.up),this.position.copy(t.position),this.rotation.order=t.rotation.order,this.quaternion.copy(t.quaternion),this.scale.copy(t.scale),this.pivot=t.pivot!==null?t.pivot.clone():null,this.matrix.copy(t.matrix),this.matrixWorld.copy(t.matrixWorld),this.matrixAutoUpdate=t.matrixAutoUpdate,this.matrixWorldAutoUpdate=t.matrixWorldAutoUpdate,this.matrixWorldNeedsUpdate=t.matrixWorldNeedsUpdate,this.layers.mask=t.layers.mask,this.visible=t.visible,this.castShadow=t.castShadow,this.receiveShadow=t.receiveShadow,this.frustumCulled=t.frustumCulled,this.renderOrder=t.renderOrder,this.static=t.static,this.animations=t.animations.slice(),this.userData=JSON.parse(JSON.stringify(t.userData)),e===!0)for(let n=0;n<t.children.length;n++){let s=t.children[n];this.add(s.clone())}return this}dispose(){this.dispatchEvent({type:"dispose"})}};Dn.DEFAULT_UP=new U(0,1,0);Dn.DEFAULT_MATRIX_AUTO_UPDATE=!0;Dn.DEFAULT_MATRIX_WORLD_AUTO_UPDATE=!0;var Cn=class extends Dn{constructor(){super(),this.isGroup=!0,this.type="Group"}},Cx={type:"move"},po=class{constructor(){this._targetRay=null,this._grip=null,this._hand=null}getHandSpace(){return this._hand===null&&(this._hand=new Cn,this._hand.matrixAutoUpdate=!1,this._hand.visible=!1,this._hand.joints={},this._hand.inputState={pinching:!1}),this._hand}getTargetRaySpace(){return this._targetRay===null&&(this._targetRay=new Cn,this._targetRay.matrixAutoUpdate=!1,this._targetRay.visible=!1,this._targetRay.hasLinearVelocity=!1,this._targetRay.linearVelocity=new U,this._targetRay.hasAngularVelocity=!1,this._targetRay.angularVelocity=new U),this._targetRay}getGripSpace(){return this._grip===null&&(this._grip=new Cn,this._grip.matrixAutoUpdate=!1,this._grip.visible=!1,this._grip.hasLinearVelocity=!1,this._grip.linearVelocity=new U,this._grip.hasAngularVelocity=!1,this._grip.angularVelocity=new U,this._grip.eventsEnabled=!1),this._grip}dispatchEvent(t){return this._targetRay!==null&&this._targetRay.dispatchEvent(t),this._grip!==null&&this._grip.dispatchEvent(t),this._hand!==null&&this._hand.dispatchEvent(t),this}connect(t){if(t&&t.hand){let e=this._hand;if(e)for(let n of t.hand.values())this._getHandJoint(e,n)}return this.dispatchEvent({type:"connected",data:t}),this}disconnect(t){return this.dispatchEvent({type:"disconnected",data:t}),this._targetRay!==null&&(this._targetRay.visible=!1),this._grip!==null&&(this._grip.visible=!1),this._hand!==null&&(this._hand.visible=!1),this}update(t,e,n){let s=null,r=null,o=null,a=this._targetRay,l=this._grip,c=this._hand;if(t&&e.session.visibilityState!=="visible-blurred"){if(c&&t.hand){o=!0;for(let v of t.hand.values()){let p=e.getJointPose(v,n),m=this._getHandJoint(c,v);p!==null&&(m.matrix.fromArray(p.transform.matrix),m.matrix.decompose(m.position,m.quaternion,m.scale),m.matrixWorldNeedsUpdate=!0,m.jointRadius=p.radius),m.visible=p!==null}let h=c.joints["index-finger-tip"],u=c.joints["thumb-tip"],d=h.position.distanceTo(u.position),f=.02,g=.005;c.inputState.pinching&&d>f+g?(c.inputState.pinching=!1,this.dispatchEvent({type:"pinchend",handedness:t.handedness,target:this})):!c.inputState.pinching&&d<=f-g&&(c.inputState.pinching=!0,this.dispatchEvent({type:"pinchstart",handedness:t.handedness,target:this}))}else l!==null&&t.gripSpace&&(r=e.getPose(t.gripSpace,n),r!==null&&(l.matrix.fromArray(r.transform.matrix),l.matrix.decompose(l.position,l.quaternion,l.scale),l.matrixWorldNeedsUpdate=!0,r.linearVelocity?(l.hasLinearVelocity=!0,l.linearVelocity.copy(r.linearVelocity)):l.hasLinearVelocity=!1,r.angularVelocity?(l.hasAngularVelocity=!0,l.angularVelocity.copy(r.angularVelocity)):l.hasAngularVelocity=!1,l.eventsEnabled&&l.dispatchEvent({type:"gripUpdated",data:t,target:this})));a!==null&&(s=e.getPose(t.targetRaySpace,n),s===null&&r!==null&&(s=r),s!==null&&(a.matrix.fromArray(s.transform.matrix),a.matrix.decompose(a.position,a.quaternion,a.scale),a.matrixWorldNeedsUpdate=!0,s.linearVelocity?(a.hasLinearVelocity=!0,a.linearVelocity.copy(s.linearVelocity)):a.hasLinearVelocity=!1,s.angularVelocity?(a.hasAngularVelocity=!0,a.angularVelocity.copy(s.angularVelocity)):a.hasAngularVelocity=!1,this.dispatchEvent(Cx)))}return a!==null&&(a.visible=s!==null),l!==null&&(l.visible=r!==null),c!==null&&(c.visible=o!==null),this}_getHandJoint(t,e){if(t.joints[e.jointName]===void 0){let n=new Cn;n.matrixAutoUpdate=!1,n.visible=!1,t.joints[e.jointName]=n,t.add(n)}return t.joints[e.jointName]}},Hm={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074},Ns={h:0,s:0,l:0},xl={h:0,s:0,l:0};function Lu(i,t,e){return e<0&&(e+=1),e>1&&(e-=1),e<1/6?i+(t-i)*6*e:e<1/2?t:e<2/3?i+(t-i)*6*(2/3-e):i}var zt=class{constructor(t,e,n){return this.isColor=!0,this.r=1,this.g=1,this.b=1,this.set(t,e,n)}set(t,e,n){if(e===void 0&&n===void 0){let s=t;s&&s.isColor?this.copy(s):typeof s=="number"?this.setHex(s):typeof s=="string"&&this.setStyle(s)}else this.setRGB(t,e,n);return this}setScalar(t){return this.r=t,this.g=t,this.b=t,this}setHex(t,e=Jn){return t=Math.floor(t),this.r=(t>>16&255)/255,this.g=(t>>8&255)/255,this.b=(t&255)/255,ge.colorSpaceToWorking(this,e),this}setRGB(t,e,n,s=ge.workingColorSpace){return this.r=t,this.g=e,this.b=n,ge.colorSpaceToWorking(this,s),this}setHSL(t,e,n,s=ge.workingColorSpace){if(t=Ld(t,1),e=oe(e,0,1),n=oe(n,0,1),e===0)this.r=this.g=this.b=n;else{let r=n<=.5?n*(1+e):n+e-n*e,o=2*n-r;this.r=Lu(o,r,t+1/3),this.g=Lu(o,r,t),this.b=Lu(o,r,t-1/3)}return ge.colorSpaceToWorking(this,s),this}setStyle(t,e=Jn){function n(r){r!==void 0&&parseFloat(r)<1&&$t("Color: Alpha component of "+t+" will be ignored.")}let s;if(s=/^(\w+)\(([^\)]*)\)/.exec(t)){let r,o=s[1],a=s[2];switch(o){case"rgb":case"rgba":if(r=/^\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*(\d+(?:\.\d+)?|\.\d+)\s*)?$/.exec(a))return n(r[4]),this.setRGB(Math.min(255,parseInt(r[1],10))/255,Math.min(255,parseInt(r[2],10))/255,Math.min(255,parseInt(r[3],10))/255,e);if(r=/^\s*(\d+(?:\.\d+)?|\.\d+)\%\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*(?:,\s*(\d+(?:\.\d+)?|\.\d+)\s*)?$/.exec(a))return n(r[4]),this.setRGB(Math.min(100,parseFloat(r[1]))/100,Math.min(100,parseFloat(r[2]))/100,Math.min(100,parseFloat(r[3]))/100,e);break;case"hsl":case"hsla":if(r=/^\s*([+-]?(?:\d+(?:\.\d+)?|\.\d+))\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*(?:,\s*(\d+(?:\.\d+)?|\.\d+)\s*)?$/.exec(a))return n(r[4]),this.setHSL(parseFloat(r[1])/360,parseFloat(r[2])/100,parseFloat(r[3])/100,e);break;default:$t("Color: Unknown color model "+t)}}else if(s=/^\#([A-Fa-f\d]+)$/.exec(t)){let r=s[1],o=r.length;if(o===3)return this.setRGB(parseInt(r.charAt(0),16)/15,parseInt(r.charAt(1),16)/15,parseInt(r.charAt(2),16)/15,e);if(o===6)return this.setHex(parseInt(r,16),e);$t("Color: Invalid hex color "+t)}else if(t&&t.length>0)return this.setColorName(t,e);return this}setColorName(t,e=Jn){let n=Hm[t.toLowerCase()];return n!==void 0?this.setHex(n,e):$t("Color: Unknown color "+t),this}clone(){return new this.constructor(this.r,this.g,this.b)}copy(t){return this.r=t.r,this.g=t.g,this.b=t.b,this}copySRGBToLinear(t){return this.r=_s(t.r),this.g=_s(t.g),this.b=_s(t.b),this}copyLinearToSRGB(t){return this.r=oo(t.r),this.g=oo(t.g),this.b=oo(t.b),this}convertSRGBToLinear(){return this.copySRGBToLinear(this),this}convertLinearToSRGB(){return this.copyLinearToSRGB(this),this}getHex(t=Jn){return ge.workingToColorSpace(zn.copy(this),t),Math.round(oe(zn.r*255,0,255))*65536+Math.round(oe(zn.g*255,0,255))*256+Math.round(oe(zn.b*255,0,255))}getHexString(t=Jn){return("000000"+this.getHex(t).toString(16)).slice(-6)}getHSL(t,e=ge.workingColorSpace){ge.workingToColorSpace(zn.copy(this),e);let n=zn.r,s=zn.g,r=zn.b,o=Math.max(n,s,r),a=Math.min(n,s,r),l,c,h=(a+o)/2;if(a===o)l=0,c=0;else{let u=o-a;switch(c=h<=.5?u/(o+a):u/(2-o-a),o){case n:l=(s-r)/u+(s<r?6:0);break;case s:l=(r-n)/u+2;break;case r:l=(n-s)/u+4;break}l/=6}return t.h=l,t.s=c,t.l=h,t}getRGB(t,e=ge.workingColorSpace){return ge.workingToColorSpace(zn.copy(this),e),t.r=zn.r,t.g=zn.g,t.b=zn.b,t}getStyle(t=Jn){ge.workingToColorSpace(zn.copy(this),t);let e=zn.r,n=zn.g,s=zn.b;return t!==Jn?`color(${t} ${e.toFixed(3)} ${n.toFixed(3)} ${s.toFixed(3)})`:`rgb(${Math.round(e*255)},${Math.round(n*255)},${Math.round(s*255)})`}offsetHSL(t,e,n){return this.getHSL(Ns),this.setHSL(Ns.h+t,Ns.s+e,Ns.l+n)}add(t){return this.r+=t.r,this.g+=t.g,this.b+=t.b,this}addColors(t,e){return this.r=t.r+e.r,this.g=t.g+e.g,this.b=t.b+e.b,this}addScalar(t){return this.r+=t,this.g+=t,this.b+=t,this}sub(t){return this.r=Math.max(0,this.r-t.r),this.g=Math.max(0,this.g-t.g),this.b=Math.max(0,this.b-t.b),this}multiply(t){return this.r*=t.r,this.g*=t.g,this.b*=t.b,this}multiplyScalar(t){return this.r*=t,this.g*=t,this.b*=t,this}lerp(t,e){return this.r+=(t.r-this.r)*e,this.g+=(t.g-this.g)*e,this.b+=(t.b-this.b)*e,this}lerpColors(t,e,n){return this.r=t.r+(e.r-t.r)*n,this.g=t.g+(e.g-t.g)*n,this.b=t.b+(e.b-t.b)*n,this}lerpHSL(t,e){this.getHSL(Ns),t.getHSL(xl);let n=oa(Ns.h,xl.h,e),s=oa(Ns.s,xl.s,e),r=oa(Ns.l,xl.l,e);return this.setHSL(n,s,r),this}setFromVector3(t){return this.r=t.x,this.g=t.y,this.b=t.z,this}applyMatrix3(t){let e=this.r,n=this.g,s=this.b,r=t.elements;return this.r=r[0]*e+r[3]*n+r[6]*s,this.g=r[1]*e+r[4]*n+r[7]*s,this.b=r[2]*e+r[5]*n+r[8]*s,this}equals(t){return t.r===this.r&&t.g===this.g&&t.b===this.b}fromArray(t,e=0){return this.r=t[e],this.g=t[e+1],this.b=t[e+2],this}toArray(t=[],e=0){return t[e]=this.r,t[e+1]=this.g,t[e+2]=this.b,t}fromBufferAttribute(t,e){return this.r=t.getX(e),this.g=t.getY(e),this.b=t.getZ(e),this}toJSON(){return this.getHex()}*[Symbol.iterator](){yield this.r,yield this.g,yield this.b}},zn=new zt;zt.NAMES=Hm;var ma=class extends Dn{constructor(){super(),this.isScene=!0,this.type="Scene",this.background=null,this.environment=null,this.fog=null,this.backgroundBlurriness=0,this.backgroundIntensity=1,this.backgroundRotation=new ji,this.environmentIntensity=1,this.environmentRotation=new ji,this.overrideMaterial=null,typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}copy(t,e){return super.copy(t,e),this.background=t.background!==null?t.background.clone():null,this.environment=t.environment!==null?t.environment.clone():null,this.fog=t.fog!==null?t.fog.clone():null,this.backgroundBlurriness=t.backgroundBlurriness,this.backgroundIntensity=t.backgroundIntensity,this.backgroundRotation.copy(t.backgroundRotation),this.environmentIntensity=t.environmentIntensity,this.environmentRotation.copy(t.environmentRotation),this.overrideMaterial=t.overrideMaterial!==null?t.overrideMaterial.clone():null,this.matrixAutoUpdate=t.matrixAutoUpdate,this}toJSON(t){let e=super.toJSON(t);return this.fog!==null&&(e.object.fog=this.fog.toJSON()),e.object.backgroundBlurriness=this.backgroundBlurriness,e.object.backgroundIntensity=this.backgroundIntensity,e.object.backgroundRotation=this.backgroundRotation.toArray(),e.object.environmentIntensity=this.environmentIntensity,e.object.environmentRotation=this.environmentRotation.toArray(),e}},Ii=new U,fs=new U,Du=new U,ps=new U,$r=new U,Zr=new U,Up=new U,Nu=new U,Uu=new U,Fu=new U,Ou=new Ce,Bu=new Ce,ku=new Ce,Bs=class i{constructor(t=new U,e=new U,n=new U){this.a=t,this.b=e,this.c=n}static getNormal(t,e,n,s){s.subVectors(n,e),Ii.subVectors(t,e),s.cross(Ii);let r=s.lengthSq();return r>0?s.multiplyScalar(1/Math.sqrt(r)):s.set(0,0,0)}static getBarycoord(t,e,n,s,r){Ii.subVectors(s,e),fs.subVectors(n,e),Du.subVectors(t,e);let o=Ii.dot(Ii),a=Ii.dot(fs),l=Ii.dot(Du),c=fs.dot(fs),h=fs.dot(Du),u=o*c-a*a;if(u===0)return r.set(0,0,0),null;let d=1/u,f=(c*l-a*h)*d,g=(o*h-a*l)*d;return r.set(1-f-g,g,f)}static containsPoint(t,e,n,s){return this.getBarycoord(t,e,n,s,ps)===null?!1:ps.x>=0&&ps.y>=0&&ps.x+ps.y<=1}static getInterpolation(t,e,n,s,r,o,a,l){return this.getBarycoord(t,e,n,s,ps)===null?(l.x=0,l.y=0,"z"in l&&(l.z=0),"w"in l&&(l.w=0),null):(l.setScalar(0),l.addScaledVector(r,ps.x),l.addScaledVector(o,ps.y),l.addScaledVector(a,ps.z),l)}static getInterpolatedAttribute(t,e,n,s,r,o){return Ou.setScalar(0),Bu.setScalar(0),ku.setScalar(0),Ou.fromBufferAttribute(t,e),Bu.fromBufferAttribute(t,n),ku.fromBufferAttribute(t,s),o.setScalar(0),o.addScaledVector(Ou,r.x),o.addScaledVector(Bu,r.y),o.addScaledVector(ku,r.z),o}static isFrontFacing(t,e,n,s){return Ii.subVectors(n,e),fs.subVectors(t,e),Ii.cross(fs).dot(s)<0}set(t,e,n){return this.a.copy(t),this.b.copy(e),this.c.copy(n),this}setFromPointsAndIndices(t,e,n,s){return this.a.copy(t[e]),this.b.copy(t[n]),this.c.copy(t[s]),this}setFromAttributeAndIndices(t,e,n,s){return this.a.fromBufferAttribute(t,e),this.b.fromBufferAttribute(t,n),this.c.fromBufferAttribute(t,s),this}clone(){return new this.constructor().copy(this)}copy(t){return this.a.copy(t.a),this.b.copy(t.b),this.c.copy(t.c),this}getArea(){return Ii.subVectors(this.c,this.b),fs.subVectors(this.a,this.b),Ii.cross(fs).length()*.5}getMidpoint(t){return t.addVectors(this.a,this.b).add(this.c).multiplyScalar(1/3)}getNormal(t){return i.getNormal(this.a,this.b,this.c,t)}getPlane(t){return t.setFromCoplanarPoints(this.a,this.b,this.c)}getBarycoord(t,e){return i.getBarycoord(t,this.a,this.b,this.c,e)}getInterpolation(t,e,n,s,r){return i.getInterpolation(t,this.a,this.b,this.c,e,n,s,r)}containsPoint(t){return i.containsPoint(t,this.a,this.b,this.c)}isFrontFacing(t){return i.isFrontFacing(this.a,this.b,this.c,t)}intersectsBox(t){return t.intersectsTriangle(this)}closestPointToPoint(t,e){let n=this.a,s=this.b,r=this.c,o,a;$r.subVectors(s,n),Zr.subVectors(r,n),Nu.subVectors(t,n);let l=$r.dot(Nu),c=Zr.dot(Nu);if(l<=0&&c<=0)return e.copy(n);Uu.subVectors(t,s);let h=$r.dot(Uu),u=Zr.dot(Uu);if(h>=0&&u<=h)return e.copy(s);let d=l*u-h*c;if(d<=0&&l>=0&&h<=0&&l-h>0)return o=l/(l-h),e.copy(n).addScaledVector($r,o);Fu.subVectors(t,r);let f=$r.dot(Fu),g=Zr.dot(Fu);if(g>=0&&f<=g)return e.copy(r);let v=f*c-l*g;if(v<=0&&c>=0&&g<=0)return a=c/(c-g),e.copy(n).addScaledVector(Zr,a);let p=h*g-f*u;if(p<=0&&u-h>=0&&f-g>=0)return Up.subVectors(r,s),a=(u-h)/(u-h+(f-g)),e.copy(s).addScaledVector(Up,a);let m=1/(p+v+d);return o=v*m,a=d*m,e.copy(n).addScaledVector($r,o).addScaledVector(Zr,a)}equals(t){return t.a.equals(this.a)&&t.b.equals(this.b)&&t.c.equals(this.c)}},jn=class{constructor(t=new U(1/0,1/0,1/0),e=new U(-1/0,-1/0,-1/0)){this.isBox3=!0,this.min=t,this.max=e}set(t,e){return this.min.copy(t),this.max.copy(e),this}setFromArray(t){this.makeEmpty();for(let e=0,n=t.length;e<n;e+=3)this.expandByPoint(Li.fromArray(t,e));return this}setFromBufferAttribute(t){this.makeEmpty();for(let e=0,n=t.count;e<n;e++)this.expandByPoint(Li.fromBufferAttribute(t,e));return this}setFromPoints(t){this.makeEmpty();for(let e=0,n=t.length;e<n;e++)this.expandByPoint(t[e]);return this}setFromCenterAndSize(t,e){let n=Li.copy(e).multiplyScalar(.5);return this.min.copy(t).sub(n),this.max.copy(t).add(n),this}setFromObject(t,e=!1){return this.makeEmpty(),this.expandByObject(t,e)}clone(){return new this.constructor().copy(this)}copy(t){return this.min.copy(t.min),this.max.copy(t.max),this}makeEmpty(){return this.min.x=this.min.y=this.min.z=1/0,this.max.x=this.max.y=this.max.z=-1/0,this}isEmpty(){return this.max.x<this.min.x||this.max.y<this.min.y||this.max.z<this.min.z}getCenter(t){return this.isEmpty()?t.set(0,0,0):t.addVectors(this.min,this.max).multiplyScalar(.5)}getSize(t){return this.isEmpty()?t.set(0,0,0):t.subVectors(this.max,this.min)}expandByPoint(t){return this.min.min(t),this.max.max(t),this}expandByVector(t){return this.min.sub(t),this.max.add(t),this}expandByScalar(t){return this.min.addScalar(-t),this.max.addScalar(t),this}expandByObject(t,e=!1){t.updateWorldMatrix(!1,!1);let n=t.geometry;if(n!==void 0){let r=n.getAttribute("position");if(e===!0&&r!==void 0&&t.isInstancedMesh!==!0&&t.isBatchedMesh!==!0)for(let o=0,a=r.count;o<a;o++)t.isMesh===!0?t.getVertexPosition(o,Li):Li.fromBufferAttribute(r,o),Li.applyMatrix4(t.matrixWorld),this.expandByPoint(Li);else t.boundingBox!==void 0?(t.boundingBox===null&&t.computeBoundingBox(),yl.copy(t.boundingBox)):(n.boundingBox===null&&n.computeBoundingBox(),yl.copy(n.boundingBox)),yl.applyMatrix4(t.matrixWorld),this.union(yl)}let s=t.children;for(let r=0,o=s.length;r<o;r++)this.expandByObject(s[r],e);return this}containsPoint(t){return t.x>=this.min.x&&t.x<=this.max.x&&t.y>=this.min.y&&t.y<=this.max.y&&t.z>=this.min.z&&t.z<=this.max.z}containsBox(t){return this.min.x<=t.min.x&&t.max.x<=this.max.x&&this.min.y<=t.min.y&&t.max.y<=this.max.y&&this.min.z<=t.min.z&&t.max.z<=this.max.z}getParameter(t,e){return e.set((t.x-this.min.x)/(this.max.x-this.min.x),(t.y-this.min.y)/(this.max.y-this.min.y),(t.z-this.min.z)/(this.max.z-this.min.z))}intersectsBox(t){return t.max.x>=this.min.x&&t.min.x<=this.max.x&&t.max.y>=this.min.y&&t.min.y<=this.max.y&&t.max.z>=this.min.z&&t.min.z<=this.max.z}intersectsSphere(t){return this.clampPoint(t.center,Li),Li.distanceToSquared(t.center)<=t.radius*t.radius}intersectsPlane(t){let e,n;return t.normal.x>0?(e=t.normal.x*this.min.x,n=t.normal.x*this.max.x):(e=t.normal.x*this.max.x,n=t.normal.x*this.min.x),t.normal.y>0?(e+=t.normal.y*this.min.y,n+=t.normal.y*this.max.y):(e+=t.normal.y*this.max.y,n+=t.normal.y*this.min.y),t.normal.z>0?(e+=t.normal.z*this.min.z,n+=t.normal.z*this.max.z):(e+=t.normal.z*this.max.z,n+=t.normal.z*this.min.z),e<=-t.constant&&n>=-t.constant}intersectsTriangle(t){if(this.isEmpty())return!1;this.getCenter(jo),vl.subVectors(this.max,jo),Jr.subVectors(t.a,jo),Kr.subVectors(t.b,jo),jr.subVectors(t.c,jo),Us.subVectors(Kr,Jr),Fs.subVectors(jr,Kr),ar.subVectors(Jr,jr);let e=[0,-Us.z,Us.y,0,-Fs.z,Fs.y,0,-ar.z,ar.y,Us.z,0,-Us.x,Fs.z,0,-Fs.x,ar.z,0,-ar.x,-Us.y,Us.x,0,-Fs.y,Fs.x,0,-ar.y,ar.x,0];return!zu(e,Jr,Kr,jr,vl)||(e=[1,0,0,0,1,0,0,0,1],!zu(e,Jr,Kr,jr,vl))?!1:(Sl.crossVectors(Us,Fs),e=[Sl.x,Sl.y,Sl.z],zu(e,Jr,Kr,jr,vl))}clampPoint(t,e){return e.copy(t).clamp(this.min,this.max)}distanceToPoint(t){return this.clampPoint(t,Li).distanceTo(t)}getBoundingSphere(t){return this.isEmpty()?t.makeEmpty():(this.getCenter(t.center),t.radius=this.getSize(Li).length()*.5),t}intersect(t){return this.min.max(t.min),this.max.min(t.max),this.isEmpty()&&this.makeEmpty(),this}union(t){return this.min.min(t.min),this.max.max(t.max),this}applyMatrix4(t){return this.isEmpty()?this:(ms[0].set(this.min.x,this.min.y,this.min.z).applyMatrix4(t),ms[1].set(this.min.x,this.min.y,this.max.z).applyMatrix4(t),ms[2].set(this.min.x,this.max.y,this.min.z).applyMatrix4(t),ms[3].set(this.min.x,this.max.y,this.max.z).applyMatrix4(t),ms[4].set(this.max.x,this.min.y,this.min.z).applyMatrix4(t),ms[5].set(this.max.x,this.min.y,this.max.z).applyMatrix4(t),ms[6].set(this.max.x,this.max.y,this.min.z).applyMatrix4(t),ms[7].set(this.max.x,this.max.y,this.max.z).applyMatrix4(t),this.setFromPoints(ms),this)}translate(t){return this.min.add(t),this.max.add(t),this}equals(t){return t.min.equals(this.min)&&t.max.equals(this.max)}toJSON(){return{min:this.min.toArray(),max:this.max.toArray()}}fromJSON(t){return this.min.fromArray(t.min),this.max.fromArray(t.max),this}},ms=[new U,new U,new U,new U,new U,new U,new U,new U],Li=new U,yl=new jn,Jr=new U,Kr=new U,jr=new U,Us=new U,Fs=new U,ar=new U,jo=new U,vl=new U,Sl=new U,lr=new U;function zu(i,t,e,n,s){for(let r=0,o=i.length-3;r<=o;r+=3){lr.fromArray(i,r);let a=s.x*Math.abs(lr.x)+s.y*Math.abs(lr.y)+s.z*Math.abs(lr.z),l=t.dot(lr),c=e.dot(lr),h=n.dot(lr);if(Math.max(-Math.max(l,c,h),Math.min(l,c,h))>a)return!1}return!0}var cn=new U,Ml=new Gt,Rx=0,hn=class extends Ki{constructor(t,e,n=!1){if(super(),Array.isArray(t))throw new TypeError("THREE.BufferAttribute: array should be a Typed Array.");this.isBufferAttribute=!0,Object.defineProperty(this,"id",{value:Rx++}),this.name="",this.array=t,this.itemSize=e,this.count=t!==void 0?t.length/e:0,this.normalized=n,this.usage=Rd,this.updateRanges=[],this.gpuType=wi,this.version=0,this._normalizationScale=t!==void 0?_h(t):void 0}onUploadCallback(){}set needsUpdate(t){t===!0&&this.version++}setUsage(t){return this.usage=t,this}addUpdateRange(t,e){this.updateRanges.push({start:t,count:e})}clearUpdateRanges(){this.updateRanges.length=0}copy(t){return this.name=t.name,this.array=new t.array.constructor(t.array),this.itemSize=t.itemSize,this.count=t.count,this.normalized=t.normalized,this.usage=t.usage,this.gpuType=t.gpuType,this._normalizationScale=t._normalizationScale,this}copyAt(t,e,n){t*=this.itemSize,n*=e.itemSize;for(let s=0,r=this.itemSize;s<r;s++)this.array[t+s]=e.array[n+s];return this}copyArray(t){return this.array.set(t),this}applyMatrix3(t){if(this.itemSize===2)for(let e=0,n=this.count;e<n;e++)Ml.fromBufferAttribute(this,e),Ml.applyMatrix3(t),this.setXY(e,Ml.x,Ml.y);else if(this.itemSize===3)for(let e=0,n=this.count;e<n;e++)cn.fromBufferAttribute(this,e),cn.applyMatrix3(t),this.setXYZ(e,cn.x,cn.y,cn.z);return this}applyMatrix4(t){for(let e=0,n=this.count;e<n;e++)cn.fromBufferAttribute(this,e),cn.applyMatrix4(t),this.setXYZ(e,cn.x,cn.y,cn.z);return this}applyNormalMatrix(t){for(let e=0,n=this.count;e<n;e++)cn.fromBufferAttribute(this,e),cn.applyNormalMatrix(t),this.setXYZ(e,cn.x,cn.y,cn.z);return this}transformDirection(t){for(let e=0,n=this.count;e<n;e++)cn.fromBufferAttribute(this,e),cn.transformDirection(t),this.setXYZ(e,cn.x,cn.y,cn.z);return this}set(t,e=0){return this.array.set(t,e),this}getComponent(t,e){let n=this.array[t*this.itemSize+e];return this.normalized&&(n=this._denormalize(n)),n}setComponent(t,e,n){return this.normalized&&(n=this._normalize(n)),this.array[t*this.itemSize+e]=n,this}getX(t){let e=this.array[t*this.itemSize];return this.normalized&&(e=this._denormalize(e)),e}setX(t,e){return this.normalized&&(e=this._normalize(e)),this.array[t*this.itemSize]=e,this}getY(t){let e=this.array[t*this.itemSize+1];return this.normalized&&(e=this._denormalize(e)),e}setY(t,e){return this.normalized&&(e=this._normalize(e)),this.array[t*this.itemSize+1]=e,this}getZ(t){let e=this.array[t*this.itemSize+2];return this.normalized&&(e=this._denormalize(e)),e}setZ(t,e){return this.normalized&&(e=this._normalize(e)),this.array[t*this.itemSize+2]=e,this}getW(t){let e=this.array[t*this.itemSize+3];return this.normalized&&(e=this._denormalize(e)),e}setW(t,e){return this.normalized&&(e=this._normalize(e)),this.array[t*this.itemSize+3]=e,this}setXY(t,e,n){return t*=this.itemSize,this.normalized&&(e=this._normalize(e),n=this._normalize(n)),this.array[t+0]=e,this.array[t+1]=n,this}setXYZ(t,e,n,s){return t*=this.itemSize,this.normalized&&(e=this._normalize(e),n=this._normalize(n),s=this._normalize(s)),this.array[t+0]=e,this.array[t+1]=n,this.array[t+2]=s,this}setXYZW(t,e,n,s,r){return t*=this.itemSize,this.normalized&&(e=this._normalize(e),n=this._normalize(n),s=this._normalize(s),r=this._normalize(r)),this.array[t+0]=e,this.array[t+1]=n,this.array[t+2]=s,this.array[t+3]=r,this}onUpload(t){return this.onUploadCallback=t,this}clone(){return new this.constructor(this.array,this.itemSize).copy(this)}toJSON(){let t={itemSize:this.itemSize,type:this.array.constructor.name,array:Array.from(this.array),normalized:this.normalized};return t.name=this.name,t.usage=this.usage,t.gpuType=this.gpuType,t}dispose(){this.dispatchEvent({type:"dispose"})}_denormalize(t){let e=this._normalizationScale;return e!==void 0?Math.max(t/e,-1):Nd(t,this.array)}_normalize(t){let e=this._normalizationScale;return e!==void 0?Math.round(t*e):Ud(t,this.array)}};var ga=class extends hn{constructor(t,e,n){super(new Uint16Array(t),e,n)}};var _a=class extends hn{constructor(t,e,n){super(new Uint32Array(t),e,n)}};var Me=class extends hn{constructor(t,e,n){super(new Float32Array(t),e,n)}},Px=new jn,Qo=new U,Vu=new U,di=class{constructor(t=new U,e=-1){this.isSphere=!0,this.center=t,this.radius=e}set(t,e){return this.center.copy(t),this.radius=e,this}setFromPoints(t,e){let n=this.center;e!==void 0?n.copy(e):Px.setFromPoints(t).getCenter(n);let s=0;for(let r=0,o=t.length;r<o;r++)s=Math.max(s,n.distanceToSquared(t[r]));return this.radius=Math.sqrt(s),this}copy(t){return this.center.copy(t.center),this.radius=t.radius,this}isEmpty(){return this.radius<0}makeEmpty(){return this.center.set(0,0,0),this.radius=-1,this}containsPoint(t){return t.distanceToSquared(this.center)<=this.radius*this.radius}distanceToPoint(t){return t.distanceTo(this.center)-this.radius}intersectsSphere(t){let e=this.radius+t.radius;return t.center.distanceToSquared(this.center)<=e*e}intersectsBox(t){return t.intersectsSphere(this)}intersectsPlane(t){return Math.abs(t.distanceToPoint(this.center))<=this.radius}clampPoint(t,e){let n=this.center.distanceToSquared(t);return e.copy(t),n>this.radius*this.radius&&(e.sub(this.center).normalize(),e.multiplyScalar(this.radius).add(this.center)),e}getBoundingBox(t){return this.isEmpty()?(t.makeEmpty(),t):(t.set(this.center,this.center),t.expandByScalar(this.radius),t)}applyMatrix4(t){return this.center.applyMatrix4(t),this.radius=this.radius*t.getMaxScaleOnAxis(),this}translate(t){return this.center.add(t),this}expandByPoint(t){if(this.isEmpty())return this.center.copy(t),this.radius=0,this;Qo.subVectors(t,this.center);let e=Qo.lengthSq();if(e>this.radius*this.radius){let n=Math.sqrt(e),s=(n-this.radius)*.5;this.center.addScaledVector(Qo,s/n),this.radius+=s}return this}union(t){return t.isEmpty()?this:this.isEmpty()?(this.copy(t),this):(this.center.equals(t.center)===!0?this.radius=Math.max(this.radius,t.radius):(Vu.subVectors(t.center,this.center).setLength(t.radius),this.expandByPoint(Qo.copy(t.center).add(Vu)),this.expandByPoint(Qo.copy(t.center).sub(Vu))),this)}equals(t){return t.center.equals(this.center)&&t.radius===this.radius}clone(){return new this.constructor().copy(this)}toJSON(){return{radius:this.radius,center:this.center.toArray()}}fromJSON(t){return this.radius=t.radius,this.center.fromArray(t.center),this}},Ix=0,vi=new ve,Gu=new Dn,Qr=new U,hi=new jn,ta=new jn,En=new U,un=class i extends Ki{constructor(){super(),this.isBufferGeometry=!0,Object.defineProperty(this,"id",{value:Ix++}),this.uuid=Ys(),this.name="",this.type="BufferGeometry",this.index=null,this.indirect=null,this.indirectOffset=0,this.attributes={},this.morphAttributes={},this.morphTargetsRelative=!1,this.groups=[],this.boundingBox=null,this.boundingSphere=null,this.drawRange={start:0,count:1/0},this.userData={},this._transformed=!1}getIndex(){return this.index}setIndex(t){return Array.isArray(t)?this.index=new(nx(t)?_a:ga)(t,1):this.index=t,this}setIndirect(t,e=0){return this.indirect=t,this.indirectOffset=e,this}getIndirect(){return this.indirect}getAttribute(t){return this.attributes[t]}setAttribute(t,e){return this.attributes[t]=e,this}deleteAttribute(t){return delete this.attributes[t],this}hasAttribute(t){return this.attributes[t]!==void 0}addGroup(t,e,n=0){this.groups.push({start:t,count:e,materialIndex:n})}clearGroups(){this.groups=[]}setDrawRange(t,e){this.drawRange.start=t,this.drawRange.count=e}applyMatrix4(t){let e=this.attributes.position;e!==void 0&&(e.applyMatrix4(t),e.needsUpdate=!0);let n=this.attributes.normal;if(n!==void 0){let r=new ee().getNormalMatrix(t);n.applyNormalMatrix(r),n.needsUpdate=!0}let s=this.attributes.tangent;return s!==void 0&&(s.transformDirection(t),s.needsUpdate=!0),this.boundingBox!==null&&this.computeBoundingBox(),this.boundingSphere!==null&&this.computeBoundingSphere(),this._transformed=!0,this}applyQuaternion(t){return vi.makeRotationFromQuaternion(t),this.applyMatrix4(vi),this}rotateX(t){return vi.makeRotationX(t),this.applyMatrix4(vi),this}rotateY(t){return vi.makeRotationY(t),this.applyMatrix4(vi),this}rotateZ(t){return vi.makeRotationZ(t),this.applyMatrix4(vi),this}translate(t,e,n){return vi.makeTranslation(t,e,n),this.applyMatrix4(vi),this}scale(t,e,n){return vi.makeScale(t,e,n),this.applyMatrix4(vi),this}lookAt(t){return Gu.lookAt(t),Gu.updateMatrix(),this.applyMatrix4(Gu.matrix),this}center(){return this.computeBoundingBox(),this.boundingBox.getCenter(Qr).negate(),this.translate(Qr.x,Qr.y,Qr.z),this}setFromPoints(t){let e=this.getAttribute("position");if(e===void 0){let n=[];for(let s=0,r=t.length;s<r;s++){let o=t[s];n.push(o.x,o.y,o.z||0)}this.setAttribute("position",new Me(n,3))}else{let n=Math.min(t.length,e.count);for(let s=0;s<n;s++){let r=t[s];e.setXYZ(s,r.x,r.y,r.z||0)}t.length>e.count&&$t("BufferGeometry: Buffer size too small for points data. Use .dispose() and create a new geometry."),e.needsUpdate=!0}return this}computeBoundingBox(){this.boundingBox===null&&(this.boundingBox=new jn);let t=this.attributes.position,e=this.morphAttributes.position;if(t&&t.isGLBufferAttribute){Qt("BufferGeometry.computeBoundingBox(): GLBufferAttribute requires a manual bounding box.",this),this.boundingBox.set(new U(-1/0,-1/0,-1/0),new U(1/0,1/0,1/0));return}if(t!==void 0){if(this.boundingBox.setFromBufferAttribute(t),e)for(let n=0,s=e.length;n<s;n++){let r=e[n];hi.setFromBufferAttribute(r),this.morphTargetsRelative?(En.addVectors(this.boundingBox.min,hi.min),this.boundingBox.expandByPoint(En),En.addVectors(this.boundingBox.max,hi.max),this.boundingBox.expandByPoint(En)):(this.boundingBox.expandByPoint(hi.min),this.boundingBox.expandByPoint(hi.max))}}else this.boundingBox.makeEmpty();(isNaN(this.boundingBox.min.x)||isNaN(this.boundingBox.min.y)||isNaN(this.boundingBox.min.z))&&Qt('BufferGeometry.computeBoundingBox(): Computed min/max have NaN values. The "position" attribute is likely to have NaN values.',this)}computeBoundingSphere(){this.boundingSphere===null&&(this.boundingSphere=new di);let t=this.attributes.position,e=this.morphAttributes.position;if(t&&t.isGLBufferAttribute){Qt("BufferGeometry.computeBoundingSphere(): GLBufferAttribute requires a manual bounding sphere.",this),this.boundingSphere.set(new U,1/0);return}if(t){let n=this.boundingSphere.center;if(hi.setFromBufferAttribute(t),e)for(let r=0,o=e.length;r<o;r++){let a=e[r];ta.setFromBufferAttribute(a),this.morphTargetsRelative?(En.addVectors(hi.min,ta.min),hi.expandByPoint(En),En.addVectors(hi.max,ta.max),hi.expandByPoint(En)):(hi.expandByPoint(ta.min),hi.expandByPoint(ta.max))}hi.getCenter(n);let s=0;for(let r=0,o=t.count;r<o;r++)En.fromBufferAttribute(t,r),s=Math.max(s,n.distanceToSquared(En));if(e)for(let r=0,o=e.length;r<o;r++){let a=e[r],l=this.morphTargetsRelative;for(let c=0,h=a.count;c<h;c++)En.fromBufferAttribute(a,c),l&&(Qr.fromBufferAttribute(t,c),En.add(Qr)),s=Math.max(s,n.distanceToSquared(En))}this.boundingSphere.radius=Math.sqrt(s),isNaN(this.boundingSphere.radius)&&Qt('BufferGeometry.computeBoundingSphere(): Computed radius is NaN. The "position" attribute is likely to have NaN values.',this)}}computeTangents(){let t=this.index,e=this.attributes;if(t===null||e.position===void 0||e.normal===void 0||e.uv===void 0){Qt("BufferGeometry: .computeTangents() failed. Missing required attributes (index, position, normal or uv)");return}let n=e.position,s=e.normal,r=e.uv,o=this.getAttribute("tangent");(o===void 0||o.count!==n.count)&&(o=new hn(new Float32Array(4*n.count),4),this.setAttribute("tangent",o));let a=[],l=[],c=new Uint8Array(n.count);for(let F=0;F<n.count;F++)a[F]=new U,l[F]=new U;let h=new U,u=new U,d=new U,f=new Gt,g=new Gt,v=new Gt,p=new U,m=new U;function y(F,I,L){c[F]=c[I]=c[L]=1,h.fromBufferAttribute(n,F),u.fromBufferAttribute(n,I),d.fromBufferAttribute(n,L),f.fromBufferAttribute(r,F),g.fromBufferAttribute(r,I),v.fromBufferAttribute(r,L),u.sub(h),d.sub(h),g.sub(f),v.sub(f);let z=1/(g.x*v.y-v.x*g.y);isFinite(z)&&(p.copy(u).multiplyScalar(v.y).addScaledVector(d,-g.y).multiplyScalar(z),m.copy(d).multiplyScalar(g.x).addScaledVector(u,-v.x).multiplyScalar(z),a[F].add(p),a[I].add(p),a[L].add(p),l[F].add(m),l[I].add(m),l[L].add(m))}let T=this.groups;T.length===0&&(T=[{start:0,count:t.count}]);for(let F=0,I=T.length;F<I;++F){let L=T[F],z=L.start,H=L.count;for(let N=z,W=z+H;N<W;N+=3)y(t.getX(N+0),t.getX(N+1),t.getX(N+2))}let S=new U,C=new U,E=new U,_=new U;function w(F){E.fromBufferAttribute(s,F),_.copy(E);let I=a[F];S.copy(I),S.sub(E.multiplyScalar(E.dot(I))).normalize(),C.crossVectors(_,I);let z=C.dot(l[F])<0?-1:1;o.setXYZW(F,S.x,S.y,S.z,z)}for(let F=0,I=n.count;F<I;++F)c[F]&&w(F);this._transformed=!0}computeVertexNormals(){let t=this.index,e=this.getAttribute("position");if(e!==void 0){let n=this.getAttribute("normal");if(n===void 0||n.count!==e.count)n=new hn(new Float32Array(e.count*3),3),this.setAttribute("normal",n);else for(let d=0,f=n.count;d<f;d++)n.setXYZ(d,0,0,0);let s=new U,r=new U,o=new U,a=new U,l=new U,c=new U,h=new U,u=new U;if(t)for(let d=0,f=t.count;d<f;d+=3){let g=t.getX(d+0),v=t.getX(d+1),p=t.getX(d+2);s.fromBufferAttribute(e,g),r.fromBufferAttribute(e,v),o.fromBufferAttribute(e,p),h.subVectors(o,r),u.subVectors(s,r),h.cross(u),a.fromBufferAttribute(n,g),l.fromBufferAttribute(n,v),c.fromBufferAttribute(n,p),a.add(h),l.add(h),c.add(h),n.setXYZ(g,a.x,a.y,a.z),n.setXYZ(v,l.x,l.y,l.z),n.setXYZ(p,c.x,c.y,c.z)}else for(let d=0,f=e.count;d<f;d+=3)s.fromBufferAttribute(e,d+0),r.fromBufferAttribute(e,d+1),o.fromBufferAttribute(e,d+2),h.subVectors(o,r),u.subVectors(s,r),h.cross(u),n.setXYZ(d+0,h.x,h.y,h.z),n.setXYZ(d+1,h.x,h.y,h.z),n.setXYZ(d+2,h.x,h.y,h.z);this.normalizeNormals(),n.needsUpdate=!0}}normalizeNormals(){let t=this.attributes.normal;for(let e=0,n=t.count;e<n;e++)En.fromBufferAttribute(t,e),En.normalize(),t.setXYZ(e,En.x,En.y,En.z)}toNonIndexed(){function t(a,l){let c=a.array,h=a.itemSize,u=a.normalized,d=new c.constructor(l.length*h),f=0,g=0;for(let v=0,p=l.length;v<p;v++){a.isInterleavedBufferAttribute?f=l[v]*a.data.stride+a.offset:f=l[v]*h;for(let m=0;m<h;m++)d[g++]=c[f++]}return new hn(d,h,u)}if(this.index===null)return $t("BufferGeometry.toNonIndexed(): BufferGeometry is already non-indexed."),this;let e=new i,n=this.index.array,s=this.attributes;for(let a in s){let l=s[a],c=t(l,n);e.setAttribute(a,c)}let r=this.morphAttributes;for(let a in r){let l=[],c=r[a];for(let h=0,u=c.length;h<u;h++){let d=c[h],f=t(d,n);l.push(f)}e.morphAttributes[a]=l}e.morphTargetsRelative=this.morphTargetsRelative;let o=this.groups;for(let a=0,l=o.length;a<l;a++){let c=o[a];e.addGroup(c.start,c.count,c.materialIndex)}return e}toJSON(){let t={metadata:{version:4.7,type:"BufferGeometry",generator:"BufferGeometry.toJSON"}};if(t.uuid=this.uuid,t.type=this.parameters!==void 0&&this._transformed===!0?"BufferGeometry":this.type,t.name=this.name,Object.keys(this.userData).length>0&&(t.userData=this.userData),this.parameters!==void 0&&this._transformed!==!0){let l=this.parameters;for(let c in l)l[c]!==void 0&&(t[c]=l[c]);return t}t.data={attributes:{}};let e=this.index;e!==null&&(t.data.index={type:e.array.constructor.name,array:Array.prototype.slice.call(e.array)});let n=this.attributes;for(let l in n){let c=n[l];t.data.attributes[l]=c.toJSON(t.data)}let s={},r=!1;for(let l in this.morphAttributes){let c=this.morphAttributes[l],h=[];for(let u=0,d=c.length;u<d;u++){let f=c[u];h.push(f.toJSON(t.data))}h.length>0&&(s[l]=h,r=!0)}r&&(t.data.morphAttributes=s,t.data.morphTargetsRelative=this.morphTargetsRelative);let o=this.groups;o.length>0&&(t.data.groups=JSON.parse(JSON.stringify(o)));let a=this.boundingSphere;return a!==null&&(t.data.boundingSphere=a.toJSON()),t}clone(){return new this.constructor().copy(this)}copy(t){this.index=null,this.attributes={},this.morphAttributes={},this.groups=[],this.boundingBox=null,this.boundingSphere=null;let e={};this.name=t.name;let n=t.index;n!==null&&this.setIndex(n.clone());let s=t.attributes;for(let c in s){let h=s[c];this.setAttribute(c,h.clone(e))}let r=t.morphAttributes;for(let c in r){let h=[],u=r[c];for(let d=0,f=u.length;d<f;d++)h.push(u[d].clone(e));this.morphAttributes[c]=h}this.morphTargetsRelative=t.morphTargetsRelative;let o=t.groups;for(let c=0,h=o.length;c<h;c++){let u=o[c];this.addGroup(u.start,u.count,u.materialIndex)}let a=t.boundingBox;a!==null&&(this.boundingBox=a.clone());let l=t.boundingSphere;return l!==null&&(this.boundingSphere=l.clone()),this.drawRange.start=t.drawRange.start,this.drawRange.count=t.drawRange.count,this.userData=t.userData,this._transformed=t._transformed,this}dispose(){this.dispatchEvent({type:"dispose"})}},ec=class{constructor(t,e){this.isInterleavedBuffer=!0,this.array=t,this.stride=e,this.count=t!==void 0?t.length/e:0,this.usage=Rd,this.updateRanges=[],this.version=0,this.uuid=Ys()}onUploadCallback(){}set needsUpdate(t){t===!0&&this.version++}setUsage(t){return this.usage=t,this}addUpdateRange(t,e){this.updateRanges.push({start:t,count:e})}clearUpdateRanges(){this.updateRanges.length=0}copy(t){return this.array=new t.array.constructor(t.array),this.count=t.count,this.stride=t.stride,this.usage=t.usage,this}copyAt(t,e,n){t*=this.stride,n*=e.stride;for(let s=0,r=this.stride;s<r;s++)this.array[t+s]=e.array[n+s];return this}set(t,e=0){return this.array.set(t,e),this}clone(t){t.arrayBuffers===void 0&&(t.arrayBuffers={});let e=Fp(this.array);t.arrayBuffers[e]===void 0&&(t.arrayBuffers[e]=this.array.slice(0).buffer);let n=new this.array.constructor(t.arrayBuffers[e]),s=new this.constructor(n,this.stride);return s.setUsage(this.usage),s}onUpload(t){return this.onUploadCallback=t,this}toJSON(t){t.arrayBuffers===void 0&&(t.arrayBuffers={});let e=Fp(this.array);t.arrayBuffers[e]===void 0&&(t.arrayBuffers[e]=Array.from(new Uint32Array(this.array.slice(0).buffer)));let n={uuid:this.uuid,buffer:e,type:this.array.constructor.name,stride:this.stride};return n.usage=this.usage,n}};function Fp(i){return i.buffer._uuid===void 0&&(i.buffer._uuid=Ys()),i.byteOffset===0&&i.byteLength===i.buffer.byteLength?i.buffer._uuid:i.buffer._uuid+":"+i.byteOffset+":"+i.byteLength}var Zn=new U,Ni=class i{constructor(t,e,n,s=!1){this.isInterleavedBufferAttribute=!0,this.name="",this.data=t,this.itemSize=e,this.offset=n,this.normalized=s,this._normalizationScale=t!==void 0?_h(t.array):void 0}get count(){return this.data.count}get array(){return this.data.array}set needsUpdate(t){this.data.needsUpdate=t}applyMatrix4(t){for(let e=0,n=this.data.count;e<n;e++)Zn.fromBufferAttribute(this,e),Zn.applyMatrix4(t),this.setXYZ(e,Zn.x,Zn.y,Zn.z);return this}applyNormalMatrix(t){for(let e=0,n=this.count;e<n;e++)Zn.fromBufferAttribute(this,e),Zn.applyNormalMatrix(t),this.setXYZ(e,Zn.x,Zn.y,Zn.z);return this}transformDirection(t){for(let e=0,n=this.count;e<n;e++)Zn.fromBufferAttribute(this,e),Zn.transformDirection(t),this.setXYZ(e,Zn.x,Zn.y,Zn.z);return this}getComponent(t,e){let n=this.array[t*this.data.stride+this.offset+e];return this.normalized&&(n=this._denormalize(n)),n}setComponent(t,e,n){return this.normalized&&(n=this._normalize(n)),this.data.array[t*this.data.stride+this.offset+e]=n,this}setX(t,e){return this.normalized&&(e=this._normalize(e)),this.data.array[t*this.data.stride+this.offset]=e,this}setY(t,e){return this.normalized&&(e=this._normalize(e)),this.data.array[t*this.data.stride+this.offset+1]=e,this}setZ(t,e){return this.normalized&&(e=this._normalize(e)),this.data.array[t*this.data.stride+this.offset+2]=e,this}setW(t,e){return this.normalized&&(e=this._normalize(e)),this.data.array[t*this.data.stride+this.offset+3]=e,this}getX(t){let e=this.data.array[t*this.data.stride+this.offset];return this.normalized&&(e=this._denormalize(e)),e}getY(t){let e=this.data.array[t*this.data.stride+this.offset+1];return this.normalized&&(e=this._denormalize(e)),e}getZ(t){let e=this.data.array[t*this.data.stride+this.offset+2];return this.normalized&&(e=this._denormalize(e)),e}getW(t){let e=this.data.array[t*this.data.stride+this.offset+3];return this.normalized&&(e=this._denormalize(e)),e}setXY(t,e,n){return t=t*this.data.stride+this.offset,this.normalized&&(e=this._normalize(e),n=this._normalize(n)),this.data.array[t+0]=e,this.data.array[t+1]=n,this}setXYZ(t,e,n,s){return t=t*this.data.stride+this.offset,this.normalized&&(e=this._normalize(e),n=this._normalize(n),s=this._normalize(s)),this.data.array[t+0]=e,this.data.array[t+1]=n,this.data.array[t+2]=s,this}setXYZW(t,e,n,s,r){return t=t*this.data.stride+this.offset,this.normalized&&(e=this._normalize(e),n=this._normalize(n),s=this._normalize(s),r=this._normalize(r)),this.data.array[t+0]=e,this.data.array[t+1]=n,this.data.array[t+2]=s,this.data.array[t+3]=r,this}clone(t){if(t===void 0){fa("InterleavedBufferAttribute.clone(): Cloning an interleaved buffer attribute will de-interleave buffer data.");let e=[];for(let n=0;n<this.count;n++){let s=n*this.data.stride+this.offset;for(let r=0;r<this.itemSize;r++)e.push(this.data.array[s+r])}return new hn(new this.array.constructor(e),this.itemSize,this.normalized)}else return t.interleavedBuffers===void 0&&(t.interleavedBuffers={}),t.interleavedBuffers[this.data.uuid]===void 0&&(t.interleavedBuffers[this.data.uuid]=this.data.clone(t)),new i(t.interleavedBuffers[this.data.uuid],this.itemSize,this.offset,this.normalized)}toJSON(t){if(t===void 0){fa("InterleavedBufferAttribute.toJSON(): Serializing an interleaved buffer attribute will de-interleave buffer data.");let e=[];for(let n=0;n<this.count;n++){let s=n*this.data.stride+this.offset;for(let r=0;r<this.itemSize;r++)e.push(this.data.array[s+r])}return{itemSize:this.itemSize,type:this.array.constructor.name,array:e,normalized:this.normalized}}else return t.interleavedBuffers===void 0&&(t.interleavedBuffers={}),t.interleavedBuffers[this.data.uuid]===void 0&&(t.interleavedBuffers[this.data.uuid]=this.data.toJSON(t)),{isInterleavedBufferAttribute:!0,itemSize:this.itemSize,data:this.data.uuid,offset:this.offset,normalized:this.normalized}}_denormalize(t){let e=this._normalizationScale;return e!==void 0?Math.max(t/e,-1):Nd(t,this.data.array)}_normalize(t){let e=this._normalizationScale;return e!==void 0?Math.round(t*e):Ud(t,this.data.array)}},Hu=new U,Lx=new U,Dx=new ee,Di=class{constructor(t=new U(1,0,0),e=0){this.isPlane=!0,this.normal=t,this.constant=e}set(t,e){return this.normal.copy(t),this.constant=e,this}setComponents(t,e,n,s){return this.normal.set(t,e,n),this.constant=s,this}setFromNormalAndCoplanarPoint(t,e){return this.normal.copy(t),this.constant=-e.dot(this.normal),this}setFromCoplanarPoints(t,e,n){let s=Hu.subVectors(n,e).cross(Lx.subVectors(t,e)).normalize();return this.setFromNormalAndCoplanarPoint(s,t),this}copy(t){return this.normal.copy(t.normal),this.constant=t.constant,this}normalize(){let t=1/this.normal.length();return this.normal.multiplyScalar(t),this.constant*=t,this}negate(){return this.constant*=-1,this.normal.negate(),this}distanceToPoint(t){return this.normal.dot(t)+this.constant}distanceToSphere(t){return this.distanceToPoint(t.center)-t.radius}projectPoint(t,e){return e.copy(t).addScaledVector(this.normal,-this.distanceToPoint(t))}intersectLine(t,e,n=!0){let s=t.delta(Hu),r=this.normal.dot(s);if(r===0)return this.distanceToPoint(t.start)===0?e.copy(t.start):null;let o=-(t.start.dot(this.normal)+this.constant)/r;return n===!0&&(o<0||o>1)?null:e.copy(t.start).addScaledVector(s,o)}intersectsLine(t){let e=this.distanceToPoint(t.start),n=this.distanceToPoint(t.end);return e<0&&n>0||n<0&&e>0}intersectsBox(t){return t.intersectsPlane(this)}intersectsSphere(t){return t.intersectsPlane(this)}coplanarPoint(t){return t.copy(this.normal).multiplyScalar(-this.constant)}applyMatrix4(t,e){let n=e||Dx.getNormalMatrix(t),s=this.coplanarPoint(Hu).applyMatrix4(t),r=this.normal.applyMatrix3(n).normalize();return this.constant=-s.dot(r),this}translate(t){return this.constant-=t.dot(this.normal),this}equals(t){return t.normal.equals(this.normal)&&t.constant===this.constant}clone(){return new this.constructor().copy(this)}toJSON(){return{normal:this.normal.toArray(),constant:this.constant}}fromJSON(t){return this.normal.fromArray(t.normal),this.constant=t.constant,this}},Nx=0,Ui=class extends Ki{constructor(){super(),this.isMaterial=!0,Object.defineProperty(this,"id",{value:Nx++}),this.uuid=Ys(),this.name="",this.type="Material",this.blending=wo,this.side=Xs,this.vertexColors=!1,this.opacity=1,this.transparent=!1,this.alphaHash=!1,this.blendSrc=hd,this.blendDst=ud,this.blendEquation=yr,this.blendSrcAlpha=null,this.blendDstAlpha=null,this.blendEquationAlpha=null,this.blendColor=new zt(0,0,0),this.blendAlpha=0,this.depthFunc=ao,this.depthTest=!0,this.depthWrite=!0,this.stencilWriteMask=255,this.stencilFunc=Dm,this.stencilRef=0,this.stencilFuncMask=255,this.stencilFail=Vl,this.stencilZFail=Vl,this.stencilZPass=Vl,this.stencilWrite=!1,this.clippingPlanes=null,this.clipIntersection=!1,this.clipShadows=!1,this.shadowSide=null,this.colorWrite=!0,this.precision=null,this.polygonOffset=!1,this.polygonOffsetFactor=0,this.polygonOffsetUnits=0,this.dithering=!1,this.alphaToCoverage=!1,this.premultipliedAlpha=!1,this.forceSinglePass=!1,this.allowOverride=!0,this.visible=!0,this.toneMapped=!0,this.userData={},this.version=0,this._alphaTest=0}get alphaTest(){return this._alphaTest}set alphaTest(t){this._alphaTest>0!=t>0&&this.version++,this._alphaTest=t}onBeforeRender(){}onBeforeCompile(){}customProgramCacheKey(){return this.onBeforeCompile.toString()}setValues(t){if(t!==void 0)for(let e in t){let n=t[e];if(n===void 0){$t(`Material: parameter '${e}' has value of undefined.`);continue}let s=this[e];if(s===void 0){$t(`Material: '${e}' is not a property of THREE.${this.type}.`);continue}s&&s.isColor?s.set(n):s&&s.isVector2&&n&&n.isVector2||s&&s.isEuler&&n&&n.isEuler||s&&s.isVector3&&n&&n.isVector3?s.copy(n):this[e]=n}}toJSON(t){let e=t===void 0||typeof t=="string";e&&(t={textures:{},images:{}});let n={metadata:{version:4.7,type:"Material",generator:"Material.toJSON"}};n.uuid=this.uuid,n.type=this.type,n.blending=this.blending,n.side=this.side,n.shadowSide=this.shadowSide,n.vertexColors=this.vertexColors,n.opacity=this.opacity,n.transparent=this.transparent,n.blendSrc=this.blendSrc,n.blendDst=this.blendDst,n.blendEquation=this.blendEquation,n.blendSrcAlpha=this.blendSrcAlpha,n.blendDstAlpha=this.blendDstAlpha,n.blendEquationAlpha=this.blendEquationAlpha,n.blendColor=this.blendColor.getHex(),n.blendAlpha=this.blendAlpha,n.depthFunc=this.depthFunc,n.depthTest=this.depthTest,n.depthWrite=this.depthWrite,n.colorWrite=this.colorWrite,n.clipIntersection=this.clipIntersection,n.clipShadows=this.clipShadows,n.stencilWriteMask=this.stencilWriteMask,n.stencilFunc=this.stencilFunc,n.stencilRef=this.stencilRef,n.stencilFuncMask=this.stencilFuncMask,n.stencilFail=this.stencilFail,n.stencilZFail=this.stencilZFail,n.stencilZPass=this.stencilZPass,n.stencilWrite=this.stencilWrite,n.polygonOffset=this.polygonOffset,n.polygonOffsetFactor=this.polygonOffsetFactor,n.polygonOffsetUnits=this.polygonOffsetUnits,n.dithering=this.dithering,n.alphaTest=this.alphaTest,n.alphaHash=this.alphaHash,n.alphaToCoverage=this.alphaToCoverage,n.premultipliedAlpha=this.premultipliedAlpha,n.forceSinglePass=this.forceSinglePass,n.allowOverride=this.allowOverride,n.visible=this.visible,n.toneMapped=this.toneMapped,n.name=this.name,this.color&&this.color.isColor&&(n.color=this.color.getHex()),this.roughness!==void 0&&(n.roughness=this.roughness),this.metalness!==void 0&&(n.metalness=this.metalness),this.sheen!==void 0&&(n.sheen=this.sheen),this.sheenColor&&this.sheenColor.isColor&&(n.sheenColor=this.sheenColor.getHex()),this.sheenRoughness!==void 0&&(n.sheenRoughness=this.sheenRoughness),this.emissive&&this.emissive.isColor&&(n.emissive=this.emissive.getHex()),this.emissiveIntensity!==void 0&&(n.emissiveIntensity=this.emissiveIntensity),this.specular&&this.specular.isColor&&(n.specular=this.specular.getHex()),this.specularIntensity!==void 0&&(n.specularIntensity=this.specularIntensity),this.specularColor&&this.specularColor.isColor&&(n.specularColor=this.specularColor.getHex()),this.shininess!==void 0&&(n.shininess=this.shininess),this.clearcoat!==void 0&&(n.clearcoat=this.clearcoat),this.clearcoatRoughness!==void 0&&(n.clearcoatRoughness=this.clearcoatRoughness),this.diffuseRoughness!==void 0&&(n.diffuseRoughness=this.diffuseRoughness),this.diffuseRoughnessMap&&this.diffuseRoughnessMap.isTexture&&(n.diffuseRoughnessMap=this.diffuseRoughnessMap.toJSON(t).uuid),this.clearcoatMap&&this.clearcoatMap.isTexture&&(n.clearcoatMap=this.clearcoatMap.toJSON(t).uuid),this.clearcoatRoughnessMap&&this.clearcoatRoughnessMap.isTexture&&(n.clearcoatRoughnessMap=this.clearcoatRoughnessMap.toJSON(t).uuid),this.clearcoatNormalMap&&this.clearcoatNormalMap.isTexture&&(n.clearcoatNormalMap=this.clearcoatNormalMap.toJSON(t).uuid,n.clearcoatNormalScale=this.clearcoatNormalScale.toArray()),this.sheenColorMap&&this.sheenColorMap.isTexture&&(n.sheenColorMap=this.sheenColorMap.toJSON(t).uuid),this.sheenRoughnessMap&&this.sheenRoughnessMap.isTexture&&(n.sheenRoughnessMap=this.sheenRoughnessMap.toJSON(t).uuid),this.dispersion!==void 0&&(n.dispersion=this.dispersion),this.retroreflectivity!==void 0&&(n.retroreflectivity=this.retroreflectivity),this.iridescence!==void 0&&(n.iridescence=this.iridescence),this.iridescenceIOR!==void 0&&(n.iridescenceIOR=this.iridescenceIOR),this.iridescenceThicknessMinimum!==void 0&&(n.iridescenceThicknessMinimum=this.iridescenceThicknessMinimum),this.iridescenceThicknessMaximum!==void 0&&(n.iridescenceThicknessMaximum=this.iridescenceThicknessMaximum),this.iridescenceMap&&this.iridescenceMap.isTexture&&(n.iridescenceMap=this.iridescenceMap.toJSON(t).uuid),this.iridescenceThicknessMap&&this.iridescenceThicknessMap.isTexture&&(n.iridescenceThicknessMap=this.iridescenceThicknessMap.toJSON(t).uuid),this.anisotropy!==void 0&&(n.anisotropy=this.anisotropy),this.anisotropyRotation!==void 0&&(n.anisotropyRotation=this.anisotropyRotation),this.anisotropyMap&&this.anisotropyMap.isTexture&&(n.anisotropyMap=this.anisotropyMap.toJSON(t).uuid),this.map&&this.map.isTexture&&(n.map=this.map.toJSON(t).uuid),this.matcap&&this.matcap.isTexture&&(n.matcap=this.matcap.toJSON(t).uuid),this.alphaMap&&this.alphaMap.isTexture&&(n.alphaMap=this.alphaMap.toJSON(t).uuid),this.lightMap&&this.lightMap.isTexture&&(n.lightMap=this.lightMap.toJSON(t).uuid,n.lightMapIntensity=this.lightMapIntensity),this.aoMap&&this.aoMap.isTexture&&(n.aoMap=this.aoMap.toJSON(t).uuid,n.aoMapIntensity=this.aoMapIntensity),this.bumpMap&&this.bumpMap.isTexture&&(n.bumpMap=this.bumpMap.toJSON(t).uuid,n.bumpScale=this.bumpScale),this.normalMap&&this.normalMap.isTexture&&(n.normalMap=this.normalMap.toJSON(t).uuid,n.normalMapType=this.normalMapType,n.normalScale=this.normalScale.toArray()),this.displacementMap&&this.displacementMap.isTexture&&(n.displacementMap=this.displacementMap.toJSON(t).uuid,n.displacementScale=this.displacementScale,n.displacementBias=this.displacementBias),this.roughnessMap&&this.roughnessMap.isTexture&&(n.roughnessMap=this.roughnessMap.toJSON(t).uuid),this.metalnessMap&&this.metalnessMap.isTexture&&(n.metalnessMap=this.metalnessMap.toJSON(t).uuid),this.emissiveMap&&this.emissiveMap.isTexture&&(n.emissiveMap=this.emissiveMap.toJSON(t).uuid),this.specularMap&&this.specularMap.isTexture&&(n.specularMap=this.specularMap.toJSON(t).uuid),this.specularIntensityMap&&this.specularIntensityMap.isTexture&&(n.specularIntensityMap=this.specularIntensityMap.toJSON(t).uuid),this.specularColorMap&&this.specularColorMap.isTexture&&(n.specularColorMap=this.specularColorMap.toJSON(t).uuid),this.envMap&&this.envMap.isTexture&&(n.envMap=this.envMap.toJSON(t).uuid,this.combine!==void 0&&(n.combine=this.combine)),this.envMapRotation!==void 0&&(n.envMapRotation=this.envMapRotation.toArray()),this.envMapIntensity!==void 0&&(n.envMapIntensity=this.envMapIntensity),this.reflectivity!==void 0&&(n.reflectivity=this.reflectivity),this.refractionRatio!==void 0&&(n.refractionRatio=this.refractionRatio),this.gradientMap&&this.gradientMap.isTexture&&(n.gradientMap=this.gradientMap.toJSON(t).uuid),this.transmission!==void 0&&(n.transmission=this.transmission),this.transmissionMap&&this.transmissionMap.isTexture&&(n.transmissionMap=this.transmissionMap.toJSON(t).uuid),this.thickness!==void 0&&(n.thickness=this.thickness),this.thicknessMap&&this.thicknessMap.isTexture&&(n.thicknessMap=this.thicknessMap.toJSON(t).uuid),this.attenuationDistance!==void 0&&(n.attenuationDistance=this.attenuationDistance),this.attenuationColor!==void 0&&(n.attenuationColor=this.attenuationColor.getHex()),this.size!==void 0&&(n.size=this.size),this.sizeAttenuation!==void 0&&(n.sizeAttenuation=this.sizeAttenuation),Array.isArray(this.clippingPlanes)&&this.clippingPlanes.length>0&&(n.clippingPlanes=this.clippingPlanes.map(r=>r.toJSON())),this.rotation!==void 0&&(n.rotation=this.rotation),this.depthPacking!==void 0&&(n.depthPacking=this.depthPacking),this.linewidth!==void 0&&(n.linewidth=this.linewidth),this.linecap!==void 0&&(n.linecap=this.linecap),this.linejoin!==void 0&&(n.linejoin=this.linejoin),this.dashSize!==void 0&&(n.dashSize=this.dashSize),this.gapSize!==void 0&&(n.gapSize=this.gapSize),this.scale!==void 0&&(n.scale=this.scale),this.wireframe!==void 0&&(n.wireframe=this.wireframe),this.wireframeLinewidth!==void 0&&(n.wireframeLinewidth=this.wireframeLinewidth),this.wireframeLinecap!==void 0&&(n.wireframeLinecap=this.wireframeLinecap),this.wireframeLinejoin!==void 0&&(n.wireframeLinejoin=this.wireframeLinejoin),this.flatShading!==void 0&&(n.flatShading=this.flatShading),this.fog!==void 0&&(n.fog=this.fog),Object.keys(this.userData).length>0&&(n.userData=this.userData);function s(r){let o=[];for(let a in r){let l=r[a];delete l.metadata,o.push(l)}return o}if(e){let r=s(t.textures),o=s(t.images);r.length>0&&(n.textures=r),o.length>0&&(n.images=o)}return n}fromJSON(t,e){if(t.uuid!==void 0&&(this.uuid=t.uuid),t.name!==void 0&&(this.name=t.name),t.color!==void 0&&this.color!==void 0&&this.color.setHex(t.color),t.roughness!==void 0&&(this.roughness=t.roughness),t.metalness!==void 0&&(this.metalness=t.metalness),t.sheen!==void 0&&(this.sheen=t.sheen),t.sheenColor!==void 0&&(this.sheenColor=new zt().setHex(t.sheenColor)),t.sheenRoughness!==void 0&&(this.sheenRoughness=t.sheenRoughness),t.emissive!==void 0&&this.emissive!==void 0&&this.emissive.setHex(t.emissive),t.specular!==void 0&&this.specular!==void 0&&this.specular.setHex(t.specular),t.specularIntensity!==void 0&&(this.specularIntensity=t.specularIntensity),t.specularColor!==void 0&&this.specularColor!==void 0&&this.specularColor.setHex(t.specularColor),t.shininess!==void 0&&(this.shininess=t.shininess),t.clearcoat!==void 0&&(this.clearcoat=t.clearcoat),t.clearcoatRoughness!==void 0&&(this.clearcoatRoughness=t.clearcoatRoughness),t.diffuseRoughness!==void 0&&(this.diffuseRoughness=t.diffuseRoughness),t.dispersion!==void 0&&(this.dispersion=t.dispersion),t.retroreflectivity!==void 0&&(this.retroreflectivity=t.retroreflectivity),t.iridescence!==void 0&&(this.iridescence=t.iridescence),t.iridescenceIOR!==void 0&&(this.iridescenceIOR=t.iridescenceIOR),t.iridescenceThicknessMinimum!==void 0&&(this.iridescenceThicknessMinimum=t.iridescenceThicknessMinimum),t.iridescenceThicknessMaximum!==void 0&&(this.iridescenceThicknessMaximum=t.iridescenceThicknessMaximum),t.iridescenceThicknessRange!==void 0&&(this.iridescenceThicknessMinimum=t.iridescenceThicknessRange[0],this.iridescenceThicknessMaximum=t.iridescenceThicknessRange[1]),t.transmission!==void 0&&(this.transmission=t.transmission),t.thickness!==void 0&&(this.thickness=t.thickness),t.attenuationDistance!==void 0&&(this.attenuationDistance=t.attenuationDistance),t.attenuationColor!==void 0&&this.attenuationColor!==void 0&&this.attenuationColor.setHex(t.attenuationColor),t.anisotropy!==void 0&&(this.anisotropy=t.anisotropy),t.anisotropyRotation!==void 0&&(this.anisotropyRotation=t.anisotropyRotation),t.fog!==void 0&&(this.fog=t.fog),t.flatShading!==void 0&&(this.flatShading=t.flatShading),t.blending!==void 0&&(this.blending=t.blending),t.combine!==void 0&&(this.combine=t.combine),t.side!==void 0&&(this.side=t.side),t.shadowSide!==void 0&&(this.shadowSide=t.shadowSide),t.opacity!==void 0&&(this.opacity=t.opacity),t.transparent!==void 0&&(this.transparent=t.transparent),t.alphaTest!==void 0&&(this.alphaTest=t.alphaTest),t.alphaHash!==void 0&&(this.alphaHash=t.alphaHash),t.depthFunc!==void 0&&(this.depthFunc=t.depthFunc),t.depthTest!==void 0&&(this.depthTest=t.depthTest),t.depthWrite!==void 0&&(this.depthWrite=t.depthWrite),t.colorWrite!==void 0&&(this.colorWrite=t.colorWrite),t.clippingPlanes!==void 0&&(this.clippingPlanes=t.clippingPlanes.map(n=>new Di().fromJSON(n))),t.clipIntersection!==void 0&&(this.clipIntersection=t.clipIntersection),t.clipShadows!==void 0&&(this.clipShadows=t.clipShadows),t.depthPacking!==void 0&&(this.depthPacking=t.depthPacking),t.blendSrc!==void 0&&(this.blendSrc=t.blendSrc),t.blendDst!==void 0&&(this.blendDst=t.blendDst),t.blendEquation!==void 0&&(this.blendEquation=t.blendEquation),t.blendSrcAlpha!==void 0&&(this.blendSrcAlpha=t.blendSrcAlpha),t.blendDstAlpha!==void 0&&(this.blendDstAlpha=t.blendDstAlpha),t.blendEquationAlpha!==void 0&&(this.blendEquationAlpha=t.blendEquationAlpha),t.blendColor!==void 0&&this.blendColor!==void 0&&this.blendColor.setHex(t.blendColor),t.blendAlpha!==void 0&&(this.blendAlpha=t.blendAlpha),t.stencilWriteMask!==void 0&&(this.stencilWriteMask=t.stencilWriteMask),t.stencilFunc!==void 0&&(this.stencilFunc=t.stencilFunc),t.stencilRef!==void 0&&(this.stencilRef=t.stencilRef),t.stencilFuncMask!==void 0&&(this.stencilFuncMask=t.stencilFuncMask),t.stencilFail!==void 0&&(this.stencilFail=t.stencilFail),t.stencilZFail!==void 0&&(this.stencilZFail=t.stencilZFail),t.stencilZPass!==void 0&&(this.stencilZPass=t.stencilZPass),t.stencilWrite!==void 0&&(this.stencilWrite=t.stencilWrite),t.wireframe!==void 0&&(this.wireframe=t.wireframe),t.wireframeLinewidth!==void 0&&(this.wireframeLinewidth=t.wireframeLinewidth),t.wireframeLinecap!==void 0&&(this.wireframeLinecap=t.wireframeLinecap),t.wireframeLinejoin!==void 0&&(this.wireframeLinejoin=t.wireframeLinejoin),t.rotation!==void 0&&(this.rotation=t.rotation),t.linewidth!==void 0&&(this.linewidth=t.linewidth),t.linecap!==void 0&&(this.linecap=t.linecap),t.linejoin!==void 0&&(this.linejoin=t.linejoin),t.dashSize!==void 0&&(this.dashSize=t.dashSize),t.gapSize!==void 0&&(this.gapSize=t.gapSize),t.scale!==void 0&&(this.scale=t.scale),t.polygonOffset!==void 0&&(this.polygonOffset=t.polygonOffset),t.polygonOffsetFactor!==void 0&&(this.polygonOffsetFactor=t.polygonOffsetFactor),t.polygonOffsetUnits!==void 0&&(this.polygonOffsetUnits=t.polygonOffsetUnits),t.dithering!==void 0&&(this.dithering=t.dithering),t.alphaToCoverage!==void 0&&(this.alphaToCoverage=t.alphaToCoverage),t.premultipliedAlpha!==void 0&&(this.premultipliedAlpha=t.premultipliedAlpha),t.forceSinglePass!==void 0&&(this.forceSinglePass=t.forceSinglePass),t.allowOverride!==void 0&&(this.allowOverride=t.allowOverride),t.visible!==void 0&&(this.visible=t.visible),t.toneMapped!==void 0&&(this.toneMapped=t.toneMapped),t.userData!==void 0&&(this.userData=t.userData),t.vertexColors!==void 0&&(typeof t.vertexColors=="number"?this.vertexColors=t.vertexColors>0:this.vertexColors=t.vertexColors),t.size!==void 0&&(this.size=t.size),t.sizeAttenuation!==void 0&&(this.sizeAttenuation=t.sizeAttenuation),t.map!==void 0&&(this.map=e[t.map]||null),t.matcap!==void 0&&(this.matcap=e[t.matcap]||null),t.alphaMap!==void 0&&(this.alphaMap=e[t.alphaMap]||null),t.bumpMap!==void 0&&(this.bumpMap=e[t.bumpMap]||null),t.bumpScale!==void 0&&(this.bumpScale=t.bumpScale),t.normalMap!==void 0&&(this.normalMap=e[t.normalMap]||null),t.normalMapType!==void 0&&(this.normalMapType=t.normalMapType),t.normalScale!==void 0){let n=t.normalScale;Array.isArray(n)===!1&&(n=[n,n]),this.normalScale=new Gt().fromArray(n)}return t.displacementMap!==void 0&&(this.displacementMap=e[t.displacementMap]||null),t.displacementScale!==void 0&&(this.displacementScale=t.displacementScale),t.displacementBias!==void 0&&(this.displacementBias=t.displacementBias),t.roughnessMap!==void 0&&(this.roughnessMap=e[t.roughnessMap]||null),t.metalnessMap!==void 0&&(this.metalnessMap=e[t.metalnessMap]||null),t.emissiveMap!==void 0&&(this.emissiveMap=e[t.emissiveMap]||null),t.emissiveIntensity!==void 0&&(this.emissiveIntensity=t.emissiveIntensity),t.specularMap!==void 0&&(this.specularMap=e[t.specularMap]||null),t.specularIntensityMap!==void 0&&(this.specularIntensityMap=e[t.specularIntensityMap]||null),t.specularColorMap!==void 0&&(this.specularColorMap=e[t.specularColorMap]||null),t.envMap!==void 0&&(this.envMap=e[t.envMap]||null),t.envMapRotation!==void 0&&this.envMapRotation.fromArray(t.envMapRotation),t.envMapIntensity!==void 0&&(this.envMapIntensity=t.envMapIntensity),t.reflectivity!==void 0&&(this.reflectivity=t.reflectivity),t.refractionRatio!==void 0&&(this.refractionRatio=t.refractionRatio),t.lightMap!==void 0&&(this.lightMap=e[t.lightMap]||null),t.lightMapIntensity!==void 0&&(this.lightMapIntensity=t.lightMapIntensity),t.aoMap!==void 0&&(this.aoMap=e[t.aoMap]||null),t.aoMapIntensity!==void 0&&(this.aoMapIntensity=t.aoMapIntensity),t.gradientMap!==void 0&&(this.gradientMap=e[t.gradientMap]||null),t.clearcoatMap!==void 0&&(this.clearcoatMap=e[t.clearcoatMap]||null),t.clearcoatRoughnessMap!==void 0&&(this.clearcoatRoughnessMap=e[t.clearcoatRoughnessMap]||null),t.clearcoatNormalMap!==void 0&&(this.clearcoatNormalMap=e[t.clearcoatNormalMap]||null),t.clearcoatNormalScale!==void 0&&(this.clearcoatNormalScale=new Gt().fromArray(t.clearcoatNormalScale)),t.diffuseRoughnessMap!==void 0&&(this.diffuseRoughnessMap=e[t.diffuseRoughnessMap]||null),t.iridescenceMap!==void 0&&(this.iridescenceMap=e[t.iridescenceMap]||null),t.iridescenceThicknessMap!==void 0&&(this.iridescenceThicknessMap=e[t.iridescenceThicknessMap]||null),t.transmissionMap!==void 0&&(this.transmissionMap=e[t.transmissionMap]||null),t.thicknessMap!==void 0&&(this.thicknessMap=e[t.thicknessMap]||null),t.anisotropyMap!==void 0&&(this.anisotropyMap=e[t.anisotropyMap]||null),t.sheenColorMap!==void 0&&(this.sheenColorMap=e[t.sheenColorMap]||null),t.sheenRoughnessMap!==void 0&&(this.sheenRoughnessMap=e[t.sheenRoughnessMap]||null),this}clone(){return new this.constructor().copy(this)}copy(t){this.name=t.name,this.blending=t.blending,this.side=t.side,this.vertexColors=t.vertexColors,this.opacity=t.opacity,this.transparent=t.transparent,this.blendSrc=t.blendSrc,this.blendDst=t.blendDst,this.blendEquation=t.blendEquation,this.blendSrcAlpha=t.blendSrcAlpha,this.blendDstAlpha=t.blendDstAlpha,this.blendEquationAlpha=t.blendEquationAlpha,this.blendColor.copy(t.blendColor),this.blendAlpha=t.blendAlpha,this.depthFunc=t.depthFunc,this.depthTest=t.depthTest,this.depthWrite=t.depthWrite,this.stencilWriteMask=t.stencilWriteMask,this.stencilFunc=t.stencilFunc,this.stencilRef=t.stencilRef,this.stencilFuncMask=t.stencilFuncMask,this.stencilFail=t.stencilFail,this.stencilZFail=t.stencilZFail,this.stencilZPass=t.stencilZPass,this.stencilWrite=t.stencilWrite;let e=t.clippingPlanes,n=null;if(e!==null){let s=e.length;n=new Array(s);for(let r=0;r!==s;++r)n[r]=e[r].clone()}return this.clippingPlanes=n,this.clipIntersection=t.clipIntersection,this.clipShadows=t.clipShadows,this.shadowSide=t.shadowSide,this.colorWrite=t.colorWrite,this.precision=t.precision,this.polygonOffset=t.polygonOffset,this.polygonOffsetFactor=t.polygonOffsetFactor,this.polygonOffsetUnits=t.polygonOffsetUnits,this.dithering=t.dithering,this.alphaTest=t.alphaTest,this.alphaHash=t.alphaHash,this.alphaToCoverage=t.alphaToCoverage,this.premultipliedAlpha=t.premultipliedAlpha,this.forceSinglePass=t.forceSinglePass,this.allowOverride=t.allowOverride,this.visible=t.visible,this.toneMapped=t.toneMapped,this.userData=JSON.parse(JSON.stringify(t.userData)),this}dispose(){this.dispatchEvent({type:"dispose"})}set needsUpdate(t){t===!0&&this.version++}};var gs=new U,Wu=new U,bl=new U,wl=new U,mo=class{constructor(t=new U,e=new U(0,0,-1)){this.origin=t,this.direction=e}set(t,e){return this.origin.copy(t),this.direction.copy(e),this}copy(t){return this.origin.copy(t.origin),this.direction.copy(t.direction),this}at(t,e){return e.copy(this.origin).addScaledVector(this.direction,t)}lookAt(t){return this.direction.copy(t).sub(this.origin).normalize(),this}recast(t){return this.origin.copy(this.at(t,gs)),this}closestPointToPoint(t,e){e.subVectors(t,this.origin);let n=e.dot(this.direction);return n<0?e.copy(this.origin):e.copy(this.origin).addScaledVector(this.direction,n)}distanceToPoint(t){return Math.sqrt(this.distanceSqToPoint(t))}distanceSqToPoint(t){let e=gs.subVectors(t,this.origin).dot(this.direction);return e<0?this.origin.distanceToSquared(t):(gs.copy(this.origin).addScaledVector(this.direction,e),gs.distanceToSquared(t))}distanceSqToSegment(t,e,n,s){Wu.copy(t).add(e).multiplyScalar(.5),bl.copy(e).sub(t).normalize(),wl.copy(this.origin).sub(Wu);let r=t.distanceTo(e)*.5,o=-this.direction.dot(bl),a=wl.dot(this.direction),l=-wl.dot(bl),c=wl.lengthSq(),h=Math.abs(1-o*o),u,d,f,g;if(h>0)if(u=o*l-a,d=o*a-l,g=r*h,u>=0)if(d>=-g)if(d<=g){let v=1/h;u*=v,d*=v,f=u*(u+o*d+2*a)+d*(o*u+d+2*l)+c}else d=r,u=Math.max(0,-(o*d+a)),f=-u*u+d*(d+2*l)+c;else d=-r,u=Math.max(0,-(o*d+a)),f=-u*u+d*(d+2*l)+c;else d<=-g?(u=Math.max(0,-(-o*r+a)),d=u>0?-r:Math.min(Math.max(-r,-l),r),f=-u*u+d*(d+2*l)+c):d<=g?(u=0,d=Math.min(Math.max(-r,-l),r),f=d*(d+2*l)+c):(u=Math.max(0,-(o*r+a)),d=u>0?r:Math.min(Math.max(-r,-l),r),f=-u*u+d*(d+2*l)+c);else d=o>0?-r:r,u=Math.max(0,-(o*d+a)),f=-u*u+d*(d+2*l)+c;return n&&n.copy(this.origin).addScaledVector(this.direction,u),s&&s.copy(Wu).addScaledVector(bl,d),f}intersectSphere(t,e){if(t.radius<0)return null;gs.subVectors(t.center,this.origin);let n=gs.dot(this.direction),s=gs.dot(gs)-n*n,r=t.radius*t.radius;if(s>r)return null;let o=Math.sqrt(r-s),a=n-o,l=n+o;return l<0?null:a<0?this.at(l,e):this.at(a,e)}intersectsSphere(t){return t.radius<0?!1:this.distanceSqToPoint(t.center)<=t.radius*t.radius}distanceToPlane(t){let e=t.normal.dot(this.direction);if(e===0)return t.distanceToPoint(this.origin)===0?0:null;let n=-(this.origin.dot(t.normal)+t.constant)/e;return n>=0?n:null}intersectPlane(t,e){let n=this.distanceToPlane(t);return n===null?null:this.at(n,e)}intersectsPlane(t){let e=t.distanceToPoint(this.origin);return e===0||t.normal.dot(this.direction)*e<0}intersectBox(t,e){let n,s,r,o,a,l,c=1/this.direction.x,h=1/this.direction.y,u=1/this.direction.z,d=this.origin;return c>=0?(n=(t.min.x-d.x)*c,s=(t.max.x-d.x)*c):(n=(t.max.x-d.x)*c,s=(t.min.x-d.x)*c),h>=0?(r=(t.min.y-d.y)*h,o=(t.max.y-d.y)*h):(r=(t.max.y-d.y)*h,o=(t.min.y-d.y)*h),n>o||r>s||((r>n||isNaN(n))&&(n=r),(o<s||isNaN(s))&&(s=o),u>=0?(a=(t.min.z-d.z)*u,l=(t.max.z-d.z)*u):(a=(t.max.z-d.z)*u,l=(t.min.z-d.z)*u),n>l||a>s)||((a>n||n!==n)&&(n=a),(l<s||s!==s)&&(s=l),s<0)?null:this.at(n>=0?n:s,e)}intersectsBox(t){return this.intersectBox(t,gs)!==null}intersectTriangle(t,e,n,s,r){let o=this.origin,a=this.direction,l=a.x,c=a.y,h=a.z,u=t.x-o.x,d=t.y-o.y,f=t.z-o.z,g=e.x-o.x,v=e.y-o.y,p=e.z-o.z,m=n.x-o.x,y=n.y-o.y,T=n.z-o.z,S=Math.abs(l),C=Math.abs(c),E=Math.abs(h),_,w,F,I,L,z,H,N,W,Y,G,lt;if(S>=C&&S>=E?(F=l,z=u,W=g,lt=m,l>=0?(_=c,w=h,I=d,L=f,H=v,N=p,Y=y,G=T):(_=h,w=c,I=f,L=d,H=p,N=v,Y=T,G=y)):C>=E?(F=c,z=d,W=v,lt=y,c>=0?(_=h,w=l,I=f,L=u,H=p,N=g,Y=T,G=m):(_=l,w=h,I=u,L=f,H=g,N=p,Y=m,G=T)):(F=h,z=f,W=p,lt=T,h>=0?(_=l,w=c,I=u,L=d,H=g,N=v,Y=m,G=y):(_=c,w=l,I=d,L=u,H=v,N=g,Y=y,G=m)),F===0)return null;let J=_/F,j=w/F,it=1/F,ut=I-J*z,ht=L-j*z,Q=H-J*W,pt=N-j*W,_t=Y-J*lt,Et=G-j*lt,Mt=_t*pt-Et*Q,Xt=ut*Et-ht*_t,se=Q*ht-pt*ut;if(s){if(Mt<0||Xt<0||se<0)return null}else if((Mt<0||Xt<0||se<0)&&(Mt>0||Xt>0||se>0))return null;let Ht=Mt+Xt+se;if(Ht===0)return null;let ue=it*(Mt*z+Xt*W+se*lt);return(Ht>0?ue<0:ue>0)?null:this.at(ue/Ht,r)}applyMatrix4(t){return this.origin.applyMatrix4(t),this.direction.transformDirection(t),this}equals(t){return t.origin.equals(this.origin)&&t.direction.equals(this.direction)}clone(){return new this.constructor().copy(this)}},nc=class extends Ui{constructor(t){super(),this.isMeshBasicMaterial=!0,this.type="MeshBasicMaterial",this.color=new zt(16777215),this.map=null,this.lightMap=null,this.lightMapIntensity=1,this.aoMap=null,this.aoMapIntensity=1,this.specularMap=null,this.alphaMap=null,this.envMap=null,this.envMapRotation=new ji,this.combine=Pc,this.reflectivity=1,this.refractionRatio=.98,this.wireframe=!1,this.wireframeLinewidth=1,this.wireframeLinecap="round",this.wireframeLinejoin="round",this.fog=!0,this.setValues(t)}copy(t){return super.copy(t),this.color.copy(t.color),this.map=t.map,this.lightMap=t.lightMap,this.lightMapIntensity=t.lightMapIntensity,this.aoMap=t.aoMap,this.aoMapIntensity=t.aoMapIntensity,this.specularMap=t.specularMap,this.alphaMap=t.alphaMap,this.envMap=t.envMap,this.envMapRotation.copy(t.envMapRotation),this.combine=t.combine,this.reflectivity=t.reflectivity,this.refractionRatio=t.refractionRatio,this.wireframe=t.wireframe,this.wireframeLinewidth=t.wireframeLinewidth,this.wireframeLinecap=t.wireframeLinecap,this.wireframeLinejoin=t.wireframeLinejoin,this.fog=t.fog,this}},Op=new ve,cr=new mo,Al=new di,Bp=new U,Tl=new U,El=new U,Cl=new U,Xu=new U,Rl=new U,kp=new U,Pl=new U,Gn=class extends Dn{constructor(t=new un,e=new nc){super(),this.isMesh=!0,this.type="Mesh",this.geometry=t,this.material=e,this.morphTargetDictionary=void 0,this.morphTargetInfluences=void 0,this.count=1,this.updateMorphTargets()}copy(t,e){return super.copy(t,e),t.morphTargetInfluences!==void 0?this.morphTargetInfluences=t.morphTargetInfluences.slice():this.morphTargetInfluences=void 0,t.morphTargetDictionary!==void 0?this.morphTargetDictionary=Object.assign({},t.morphTargetDictionary):this.morphTargetDictionary=void 0,this.material=Array.isArray(t.material)?t.material.slice():t.material,this.geometry=t.geometry,this}updateMorphTargets(){let e=this.geometry.morphAttributes,n=Object.keys(e);if(n.length>0){let s=e[n[0]];if(s!==void 0){this.morphTargetInfluences=[],this.morphTargetDictionary={};for(let r=0,o=s.length;r<o;r++){let a=s[r].name||String(r);this.morphTargetInfluences.push(0),this.morphTargetDictionary[a]=r}}}}getVertexPosition(t,e){let n=this.geometry,s=n.attributes.position,r=n.morphAttributes.position,o=n.morphTargetsRelative;e.fromBufferAttribute(s,t);let a=this.morphTargetInfluences;if(r&&a){Rl.set(0,0,0);for(let l=0,c=r.length;l<c;l++){let h=a[l],u=r[l];h!==0&&(Xu.fromBufferAttribute(u,t),o?Rl.addScaledVector(Xu,h):Rl.addScaledVector(Xu.sub(e),h))}e.add(Rl)}return e}intersectsFrustum(t){return t.intersectsObject(this)}raycast(t,e){let n=this.geometry,s=this.material,r=this.matrixWorld;s!==void 0&&(n.boundingSphere===null&&n.computeBoundingSphere(),Al.copy(n.boundingSphere),Al.applyMatrix4(r),cr.copy(t.ray).recast(t.near),!(Al.containsPoint(cr.origin)===!1&&(cr.intersectSphere(Al,Bp)===null||cr.origin.distanceToSquared(Bp)>(t.far-t.near)**2))&&(Op.copy(r).invert(),cr.copy(t.ray).applyMatrix4(Op),!(n.boundingBox!==null&&cr.intersectsBox(n.boundingBox)===!1)&&this._computeIntersections(t,e,cr)))}_computeIntersections(t,e,n){let s,r=this.geometry,o=this.material,a=r.index,l=r.attributes.position,c=r.attributes.uv,h=r.attributes.uv1,u=r.attributes.normal,d=r.groups,f=r.drawRange;if(a!==null)if(Array.isArray(o))for(let g=0,v=d.length;g<v;g++){let p=d[g],m=o[p.materialIndex],y=Math.max(p.start,f.start),T=Math.min(a.count,Math.min(p.start+p.count,f.start+f.count));for(let S=y,C=T;S<C;S+=3){let E=a.getX(S),_=a.getX(S+1),w=a.getX(S+2);s=Il(this,m,t,n,c,h,u,E,_,w),s&&(s.faceIndex=Math.floor(S/3),s.face.materialIndex=p.materialIndex,e.push(s))}}else{let g=Math.max(0,f.start),v=Math.min(a.count,f.start+f.count);for(let p=g,m=v;p<m;p+=3){let y=a.getX(p),T=a.getX(p+1),S=a.getX(p+2);s=Il(this,o,t,n,c,h,u,y,T,S),s&&(s.faceIndex=Math.floor(p/3),e.push(s))}}else if(l!==void 0)if(Array.isArray(o))for(let g=0,v=d.length;g<v;g++){let p=d[g],m=o[p.materialIndex],y=Math.max(p.start,f.start),T=Math.min(l.count,Math.min(p.start+p.count,f.start+f.count));for(let S=y,C=T;S<C;S+=3){let E=S,_=S+1,w=S+2;s=Il(this,m,t,n,c,h,u,E,_,w),s&&(s.faceIndex=Math.floor(S/3),s.face.materialIndex=p.materialIndex,e.push(s))}}else{let g=Math.max(0,f.start),v=Math.min(l.count,f.start+f.count);for(let p=g,m=v;p<m;p+=3){let y=p,T=p+1,S=p+2;s=Il(this,o,t,n,c,h,u,y,T,S),s&&(s.faceIndex=Math.floor(p/3),e.push(s))}}}};function Ux(i,t,e,n,s,r,o,a){let l;if(t.side===Qn?l=n.intersectTriangle(o,r,s,!0,a):l=n.intersectTriangle(s,r,o,t.side===Xs,a),l===null)return null;Pl.copy(a),Pl.applyMatrix4(i.matrixWorld);let c=e.ray.origin.distanceTo(Pl);return c<e.near||c>e.far?null:{distance:c,point:Pl.clone(),object:i}}function Il(i,t,e,n,s,r,o,a,l,c){i.getVertexPosition(a,Tl),i.getVertexPosition(l,El),i.getVertexPosition(c,Cl);let h=Ux(i,t,e,n,Tl,El,Cl,kp);if(h){let u=new U;Bs.getBarycoord(kp,Tl,El,Cl,u),s&&(h.uv=Bs.getInterpolatedAttribute(s,a,l,c,u,new Gt)),r&&(h.uv1=Bs.getInterpolatedAttribute(r,a,l,c,u,new Gt)),o&&(h.normal=Bs.getInterpolatedAttribute(o,a,l,c,u,new U),h.normal.dot(n.direction)>0&&h.normal.multiplyScalar(-1));let d={a,b:l,c,normal:new U,materialIndex:0};Bs.getNormal(Tl,El,Cl,d.normal),h.face=d,h.barycoord=u}return h}var xa=class extends ii{constructor(t=null,e=1,n=1,s,r,o,a,l,c=Rn,h=Rn,u,d){super(null,o,a,l,c,h,s,r,u,d),this.isDataTexture=!0,this.image={data:t,width:e,height:n},this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}};var ur=class extends hn{constructor(t,e,n,s=1){super(t,e,n),this.isInstancedBufferAttribute=!0,this.meshPerAttribute=s}copy(t){return super.copy(t),this.meshPerAttribute=t.meshPerAttribute,this}toJSON(){let t=super.toJSON();return t.meshPerAttribute=this.meshPerAttribute,t.isInstancedBufferAttribute=!0,t}},to=new ve,zp=new ve,Ll=[],Vp=new jn,Fx=new ve,ea=new Gn,na=new di,dr=class extends Gn{constructor(t,e,n){super(t,e),this.isInstancedMesh=!0,this.instanceMatrix=new ur(new Float32Array(n*16),16),this.instanceColor=null,this.morphTexture=null,this.count=n,this.boundingBox=null,this.boundingSphere=null;for(let s=0;s<n;s++)this.setMatrixAt(s,Fx)}computeBoundingBox(){let t=this.geometry,e=this.count;this.boundingBox===null&&(this.boundingBox=new jn),t.boundingBox===null&&t.computeBoundingBox(),this.boundingBox.makeEmpty();for(let n=0;n<e;n++)this.getMatrixAt(n,to),Vp.copy(t.boundingBox).applyMatrix4(to),this.boundingBox.union(Vp)}computeBoundingSphere(){let t=this.geometry,e=this.count;this.boundingSphere===null&&(this.boundingSphere=new di),t.boundingSphere===null&&t.computeBoundingSphere(),this.boundingSphere.makeEmpty();for(let n=0;n<e;n++)this.getMatrixAt(n,to),na.copy(t.boundingSphere).applyMatrix4(to),this.boundingSphere.union(na)}copy(t,e){return super.copy(t,e),this.instanceMatrix.copy(t.instanceMatrix),this.morphTexture=t.morphTexture!==null?t.morphTexture.clone():null,this.instanceColor=t.instanceColor!==null?t.instanceColor.clone():null,this.count=t.count,this.boundingBox=t.boundingBox!==null?t.boundingBox.clone():null,this.boundingSphere=t.boundingSphere!==null?t.boundingSphere.clone():null,this}getColorAt(t,e){return this.instanceColor===null?e.setRGB(1,1,1):e.fromArray(this.instanceColor.array,t*3)}getMatrixAt(t,e){return e.fromArray(this.instanceMatrix.array,t*16)}getMorphAt(t,e){let n=e.morphTargetInfluences,s=this.morphTexture.source.data.data,r=n.length+1,o=t*r+1;for(let a=0;a<n.length;a++)n[a]=s[o+a]}raycast(t,e){let n=this.matrixWorld,s=this.count;if(ea.geometry=this.geometry,ea.material=this.material,ea.material!==void 0&&(this.boundingSphere===null&&this.computeBoundingSphere(),na.copy(this.boundingSphere),na.applyMatrix4(n),t.ray.intersectsSphere(na)!==!1))for(let r=0;r<s;r++){this.getMatrixAt(r,to),zp.multiplyMatrices(n,to),ea.matrixWorld=zp,ea.raycast(t,Ll);for(let o=0,a=Ll.length;o<a;o++){let l=Ll[o];l.instanceId=r,l.object=this,e.push(l)}Ll.length=0}}setColorAt(t,e){return this.instanceColor===null&&(this.instanceColor=new ur(new Float32Array(this.instanceMatrix.count*3).fill(1),3)),e.toArray(this.instanceColor.array,t*3),this}setMatrixAt(t,e){return e.toArray(this.instanceMatrix.array,t*16),this}setMorphAt(t,e){let n=e.morphTargetInfluences,s=n.length+1;this.morphTexture===null&&(this.morphTexture=new xa(new Float32Array(s*this.count),s,this.count,Oc,wi));let r=this.morphTexture.source.data.data,o=0;for(let c=0;c<n.length;c++)o+=n[c];let a=this.geometry.morphTargetsRelative?1:1-o,l=s*t;return r[l]=a,r.set(n,l+1),this}updateMorphTargets(){}dispose(){super.dispose(),this.instanceMatrix.dispose(),this.instanceColor!==null&&this.instanceColor.dispose(),this.morphTexture!==null&&(this.morphTexture.dispose(),this.morphTexture=null)}},hr=new di,Ox=new Gt(.5,.5),Dl=new U,ks=class{constructor(t=new Di,e=new Di,n=new Di,s=new Di,r=new Di,o=new Di){this.planes=[t,e,n,s,r,o]}set(t,e,n,s,r,o){let a=this.planes;return a[0].copy(t),a[1].copy(e),a[2].copy(n),a[3].copy(s),a[4].copy(r),a[5].copy(o),this}copy(t){let e=this.planes;for(let n=0;n<6;n++)e[n].copy(t.planes[n]);return this}setFromProjectionMatrix(t,e=Si,n=!1){let s=this.planes,r=t.elements,o=r[0],a=r[1],l=r[2],c=r[3],h=r[4],u=r[5],d=r[6],f=r[7],g=r[8],v=r[9],p=r[10],m=r[11],y=r[12],T=r[13],S=r[14],C=r[15];if(s[0].setComponents(c-o,f-h,m-g,C-y).normalize(),s[1].setComponents(c+o,f+h,m+g,C+y).normalize(),s[2].setComponents(c+a,f+u,m+v,C+T).normalize(),s[3].setComponents(c-a,f-u,m-v,C-T).normalize(),n)s[4].setComponents(l,d,p,S).normalize(),s[5].setComponents(c-l,f-d,m-p,C-S).normalize();else if(s[4].setComponents(c-l,f-d,m-p,C-S).normalize(),e===Si)s[5].setComponents(c+l,f+d,m+p,C+S).normalize();else if(e===lo)s[5].setComponents(l,d,p,S).normalize();else throw new Error("THREE.Frustum.setFromProjectionMatrix(): Invalid coordinate system: "+e);return this}intersectsObject(t){if(t.boundingSphere!==void 0)t.boundingSphere===null&&t.computeBoundingSphere(),hr.copy(t.boundingSphere).applyMatrix4(t.matrixWorld);else{let e=t.geometry;e.boundingSphere===null&&e.computeBoundingSphere(),hr.copy(e.boundingSphere).applyMatrix4(t.matrixWorld)}return this.intersectsSphere(hr)}intersectsSprite(t){hr.center.set(0,0,0);let e=Ox.distanceTo(t.center);return hr.radius=.7071067811865476+e,hr.applyMatrix4(t.matrixWorld),this.intersectsSphere(hr)}intersectsSphere(t){let e=this.planes,n=t.center,s=-t.radius;for(let r=0;r<6;r++)if(e[r].distanceToPoint(n)<s)return!1;return!0}intersectsBox(t){let e=this.planes;for(let n=0;n<6;n++){let s=e[n];if(Dl.x=s.normal.x>0?t.max.x:t.min.x,Dl.y=s.normal.y>0?t.max.y:t.min.y,Dl.z=s.normal.z>0?t.max.z:t.min.z,s.distanceToPoint(Dl)<0)return!1}return!0}containsPoint(t){let e=this.planes;for(let n=0;n<6;n++)if(e[n].distanceToPoint(t)<0)return!1;return!0}clone(){return new this.constructor().copy(this)}},Gp=new ve,ic=class i{constructor(){this.coordinateSystem=Si,this._frustums=[],this._count=0}setFromArrayCamera(t){let e=t.cameras,n=this._frustums;for(let s=0;s<e.length;s++){let r=e[s];Gp.multiplyMatrices(r.projectionMatrix,r.matrixWorldInverse),n[s]===void 0&&(n[s]=new ks),n[s].setFromProjectionMatrix(Gp,r.coordinateSystem,r.reversedDepth)}return this._count=e.length,this}getFrustum(t){return this._frustums[t]}intersectsObject(t){let e=this._frustums;for(let n=0;n<this._count;n++)if(e[n].intersectsObject(t))return!0;return!1}intersectsSprite(t){let e=this._frustums;for(let n=0;n<this._count;n++)if(e[n].intersectsSprite(t))return!0;return!1}intersectsSphere(t){let e=this._frustums;for(let n=0;n<this._count;n++)if(e[n].intersectsSphere(t))return!0;return!1}intersectsBox(t){let e=this._frustums;for(let n=0;n<this._count;n++)if(e[n].intersectsBox(t))return!0;return!1}containsPoint(t){let e=this._frustums;for(let n=0;n<this._count;n++)if(e[n].containsPoint(t))return!0;return!1}copy(t){this.coordinateSystem=t.coordinateSystem;let e=this._frustums,n=t._frustums;for(let s=0;s<t._count;s++)e[s]===void 0&&(e[s]=new ks),e[s].copy(n[s]);return this._count=t._count,this}clone(){return new i().copy(this)}};var go=class extends Ui{constructor(t){super(),this.isLineBasicMaterial=!0,this.type="LineBasicMaterial",this.color=new zt(16777215),this.map=null,this.linewidth=1,this.linecap="round",this.linejoin="round",this.fog=!0,this.setValues(t)}copy(t){return super.copy(t),this.color.copy(t.color),this.map=t.map,this.linewidth=t.linewidth,this.linecap=t.linecap,this.linejoin=t.linejoin,this.fog=t.fog,this}},sc=new U,rc=new U,Hp=new ve,ia=new mo,Nl=new di,qu=new U,Wp=new U,oc=class extends Dn{constructor(t=new un,e=new go){super(),this.isLine=!0,this.type="Line",this.geometry=t,this.material=e,this.morphTargetDictionary=void 0,this.morphTargetInfluences=void 0,this.updateMorphTargets()}copy(t,e){return super.copy(t,e),t.morphTargetInfluences!==void 0?this.morphTargetInfluences=t.morphTargetInfluences.slice():this.morphTargetInfluences=void 0,t.morphTargetDictionary!==void 0?this.morphTargetDictionary=Object.assign({},t.morphTargetDictionary):this.morphTargetDictionary=void 0,this.material=Array.isArray(t.material)?t.material.slice():t.material,this.geometry=t.geometry,this}computeLineDistances(){let t=this.geometry;if(t.index===null){let e=t.attributes.position,n=[0];for(let s=1,r=e.count;s<r;s++)sc.fromBufferAttribute(e,s-1),rc.fromBufferAttribute(e,s),n[s]=n[s-1],n[s]+=sc.distanceTo(rc);t.setAttribute("lineDistance",new Me(n,1))}else $t("Line.computeLineDistances(): Computation only possible with non-indexed BufferGeometry.");return this}intersectsFrustum(t){return t.intersectsObject(this)}raycast(t,e){let n=this.geometry,s=this.matrixWorld,r=t.params.Line.threshold,o=n.drawRange;if(n.boundingSphere===null&&n.computeBoundingSphere(),Nl.copy(n.boundingSphere),Nl.applyMatrix4(s),Nl.radius+=r,t.ray.intersectsSphere(Nl)===!1)return;Hp.copy(s).invert(),ia.copy(t.ray).applyMatrix4(Hp);let a=r/((this.scale.x+this.scale.y+this.scale.z)/3),l=a*a,c=this.isLineSegments?2:1,h=n.index,d=n.attributes.position;if(h!==null){let f=Math.max(0,o.start),g=Math.min(h.count,o.start+o.count);for(let v=f,p=g-1;v<p;v+=c){let m=h.getX(v),y=h.getX(v+1),T=Ul(this,t,ia,l,m,y,v);T&&e.push(T)}if(this.isLineLoop){let v=h.getX(g-1),p=h.getX(f),m=Ul(this,t,ia,l,v,p,g-1);m&&e.push(m)}}else{let f=Math.max(0,o.start),g=Math.min(d.count,o.start+o.count);for(let v=f,p=g-1;v<p;v+=c){let m=Ul(this,t,ia,l,v,v+1,v);m&&e.push(m)}if(this.isLineLoop){let v=Ul(this,t,ia,l,g-1,f,g-1);v&&e.push(v)}}}updateMorphTargets(){let e=this.geometry.morphAttributes,n=Object.keys(e);if(n.length>0){let s=e[n[0]];if(s!==void 0){this.morphTargetInfluences=[],this.morphTargetDictionary={};for(let r=0,o=s.length;r<o;r++){let a=s[r].name||String(r);this.morphTargetInfluences.push(0),this.morphTargetDictionary[a]=r}}}}};function Ul(i,t,e,n,s,r,o){let a=i.geometry.attributes.position;if(sc.fromBufferAttribute(a,s),rc.fromBufferAttribute(a,r),e.distanceSqToSegment(sc,rc,qu,Wp)>n)return;qu.applyMatrix4(i.matrixWorld);let c=t.ray.origin.distanceTo(qu);if(!(c<t.near||c>t.far))return{distance:c,point:Wp.clone().applyMatrix4(i.matrixWorld),index:o,face:null,faceIndex:null,barycoord:null,object:i}}var Xp=new U,qp=new U,ya=class extends oc{constructor(t,e){super(t,e),this.isLineSegments=!0,this.type="LineSegments"}computeLineDistances(){let t=this.geometry;if(t.index===null){let e=t.attributes.position,n=[];for(let s=0,r=e.count;s<r;s+=2)Xp.fromBufferAttribute(e,s),qp.fromBufferAttribute(e,s+1),n[s]=s===0?0:n[s-1],n[s+1]=n[s]+Xp.distanceTo(qp);t.setAttribute("lineDistance",new Me(n,1))}else $t("LineSegments.computeLineDistances(): Computation only possible with non-indexed BufferGeometry.");return this}};var va=class extends ii{constructor(t=[],e=vr,n,s,r,o,a,l,c,h){super(t,e,n,s,r,o,a,l,c,h),this.isCubeTexture=!0,this.flipY=!1}get images(){return this.image}set images(t){this.image=t}};var ys=class extends ii{constructor(t,e,n=Fi,s,r,o,a=Rn,l=Rn,c,h=xs,u=1){if(h!==xs&&h!==Ss)throw new Error("THREE.DepthTexture: format must be either THREE.DepthFormat or THREE.DepthStencilFormat");let d={width:t,height:e,depth:u};super(d,s,r,o,a,l,h,n,c),this.isDepthTexture=!0,this.flipY=!1,this.generateMipmaps=!1,this.compareFunction=null}copy(t){return super.copy(t),this.source=new uo(Object.assign({},t.image)),this.compareFunction=t.compareFunction,this}toJSON(t){let e=super.toJSON(t);return e.compareFunction=this.compareFunction,e}},Sa=class extends ys{constructor(t,e=Fi,n=vr,s,r,o=Rn,a=Rn,l,c=xs){let h={width:t,height:t,depth:1},u=[h,h,h,h,h,h];super(t,t,e,n,s,r,o,a,l,c),this.image=u,this.isCubeDepthTexture=!0,this.isCubeTexture=!0}get images(){return this.image}set images(t){this.image=t}},Ma=class extends ii{constructor(t=null){super(),this.sourceTexture=t,this.isExternalTexture=!0}copy(t){return super.copy(t),this.sourceTexture=t.sourceTexture,this}},zs=class i extends un{constructor(t=1,e=1,n=1,s=1,r=1,o=1){super(),this.type="BoxGeometry",this.parameters={width:t,height:e,depth:n,widthSegments:s,heightSegments:r,depthSegments:o};let a=this;s=Math.floor(s),r=Math.floor(r),o=Math.floor(o);let l=[],c=[],h=[],u=[],d=0,f=0;g("z","y","x",-1,-1,n,e,t,o,r,0),g("z","y","x",1,-1,n,e,-t,o,r,1),g("x","z","y",1,1,t,n,e,s,o,2),g("x","z","y",1,-1,t,n,-e,s,o,3),g("x","y","z",1,-1,t,e,n,s,r,4),g("x","y","z",-1,-1,t,e,-n,s,r,5),this.setIndex(l),this.setAttribute("position",new Me(c,3)),this.setAttribute("normal",new Me(h,3)),this.setAttribute("uv",new Me(u,2));function g(v,p,m,y,T,S,C,E,_,w,F){let I=S/_,L=C/w,z=S/2,H=C/2,N=E/2,W=_+1,Y=w+1,G=0,lt=0,J=new U;for(let j=0;j<Y;j++){let it=j*L-H;for(let ut=0;ut<W;ut++){let ht=ut*I-z;J[v]=ht*y,J[p]=it*T,J[m]=N,c.push(J.x,J.y,J.z),J[v]=0,J[p]=0,J[m]=E>0?1:-1,h.push(J.x,J.y,J.z),u.push(ut/_),u.push(1-j/w),G+=1}}for(let j=0;j<w;j++)for(let it=0;it<_;it++){let ut=d+it+W*j,ht=d+it+W*(j+1),Q=d+(it+1)+W*(j+1),pt=d+(it+1)+W*j;l.push(ut,ht,pt),l.push(ht,Q,pt),lt+=6}a.addGroup(f,lt,F),f+=lt,d+=G}}copy(t){return super.copy(t),this.parameters=Object.assign({},t.parameters),this}static fromJSON(t){return new i(t.width,t.height,t.depth,t.widthSegments,t.heightSegments,t.depthSegments)}};var fr=class i extends un{constructor(t=1,e=1,n=1,s=32,r=1,o=!1,a=0,l=Math.PI*2){super(),this.type="CylinderGeometry",this.parameters={radiusTop:t,radiusBottom:e,height:n,radialSegments:s,heightSegments:r,openEnded:o,thetaStart:a,thetaLength:l};let c=this;s=Math.floor(s),r=Math.floor(r);let h=[],u=[],d=[],f=[],g=0,v=[],p=n/2,m=0;y(),o===!1&&(t>0&&T(!0),e>0&&T(!1)),this.setIndex(h),this.setAttribute("position",new Me(u,3)),this.setAttribute("normal",new Me(d,3)),this.setAttribute("uv",new Me(f,2));function y(){let S=new U,C=new U,E=0,_=(e-t)/n;for(let w=0;w<=r;w++){let F=[],I=w/r,L=I*(e-t)+t;for(let z=0;z<=s;z++){let H=z/s,N=H*l+a,W=Math.sin(N),Y=Math.cos(N);C.x=L*W,C.y=-I*n+p,C.z=L*Y,u.push(C.x,C.y,C.z),S.set(W,_,Y).normalize(),d.push(S.x,S.y,S.z),f.push(H,1-I),F.push(g++)}v.push(F)}for(let w=0;w<s;w++)for(let F=0;F<r;F++){let I=v[F][w],L=v[F+1][w],z=v[F+1][w+1],H=v[F][w+1];(t>0||F!==0)&&(h.push(I,L,H),E+=3),(e>0||F!==r-1)&&(h.push(L,z,H),E+=3)}c.addGroup(m,E,0),m+=E}function T(S){let C=g,E=new Gt,_=new U,w=0,F=S===!0?t:e,I=S===!0?1:-1;for(let z=1;z<=s;z++)u.push(0,p*I,0),d.push(0,I,0),f.push(.5,.5),g++;let L=g;for(let z=0;z<=s;z++){let N=z/s*l+a,W=Math.cos(N),Y=Math.sin(N);_.x=F*Y,_.y=p*I,_.z=F*W,u.push(_.x,_.y,_.z),d.push(0,I,0),E.x=W*.5+.5,E.y=Y*.5*I+.5,f.push(E.x,E.y),g++}for(let z=0;z<s;z++){let H=C+z,N=L+z;S===!0?h.push(N,N+1,H):h.push(N+1,N,H),w+=3}c.addGroup(m,w,S===!0?1:2),m+=w}}copy(t){return super.copy(t),this.parameters=Object.assign({},t.parameters),this}static fromJSON(t){return new i(t.radiusTop,t.radiusBottom,t.height,t.radialSegments,t.heightSegments,t.openEnded,t.thetaStart,t.thetaLength)}},ba=class i extends fr{constructor(t=1,e=1,n=32,s=1,r=!1,o=0,a=Math.PI*2){super(0,t,e,n,s,r,o,a),this.type="ConeGeometry",this.parameters={radius:t,height:e,radialSegments:n,heightSegments:s,openEnded:r,thetaStart:o,thetaLength:a}}static fromJSON(t){return new i(t.radius,t.height,t.radialSegments,t.heightSegments,t.openEnded,t.thetaStart,t.thetaLength)}},ac=class i extends un{constructor(t=[],e=[],n=1,s=0){super(),this.type="PolyhedronGeometry",this.parameters={vertices:t,indices:e,radius:n,detail:s};let r=[],o=[];a(s),c(n),h(),this.setAttribute("position",new Me(r,3)),this.setAttribute("normal",new Me(r.slice(),3)),this.setAttribute("uv",new Me(o,2)),s===0?this.computeVertexNormals():this.normalizeNormals();function a(y){let T=new U,S=new U,C=new U;for(let E=0;E<e.length;E+=3)f(e[E+0],T),f(e[E+1],S),f(e[E+2],C),l(T,S,C,y)}function l(y,T,S,C){let E=C+1,_=[];for(let w=0;w<=E;w++){_[w]=[];let F=y.clone().lerp(S,w/E),I=T.clone().lerp(S,w/E),L=E-w;for(let z=0;z<=L;z++)z===0&&w===E?_[w][z]=F:_[w][z]=F.clone().lerp(I,z/L)}for(let w=0;w<E;w++)for(let F=0;F<2*(E-w)-1;F++){let I=Math.floor(F/2);F%2===0?(d(_[w][I+1]),d(_[w+1][I]),d(_[w][I])):(d(_[w][I+1]),d(_[w+1][I+1]),d(_[w+1][I]))}}function c(y){let T=new U;for(let S=0;S<r.length;S+=3)T.x=r[S+0],T.y=r[S+1],T.z=r[S+2],T.normalize().multiplyScalar(y),r[S+0]=T.x,r[S+1]=T.y,r[S+2]=T.z}function h(){let y=new U;for(let T=0;T<r.length;T+=3){y.x=r[T+0],y.y=r[T+1],y.z=r[T+2];let S=p(y)/2/Math.PI+.5,C=m(y)/Math.PI+.5;o.push(S,1-C)}g(),u()}function u(){for(let y=0;y<o.length;y+=6){let T=o[y+0],S=o[y+2],C=o[y+4],E=Math.max(T,S,C),_=Math.min(T,S,C);E>.9&&_<.1&&(T<.2&&(o[y+0]+=1),S<.2&&(o[y+2]+=1),C<.2&&(o[y+4]+=1))}}function d(y){r.push(y.x,y.y,y.z)}function f(y,T){let S=y*3;T.x=t[S+0],T.y=t[S+1],T.z=t[S+2]}function g(){let y=new U,T=new U,S=new U,C=new U,E=new Gt,_=new Gt,w=new Gt;for(let F=0,I=0;F<r.length;F+=9,I+=6){y.set(r[F+0],r[F+1],r[F+2]),T.set(r[F+3],r[F+4],r[F+5]),S.set(r[F+6],r[F+7],r[F+8]),E.set(o[I+0],o[I+1]),_.set(o[I+2],o[I+3]),w.set(o[I+4],o[I+5]),C.copy(y).add(T).add(S).divideScalar(3);let L=p(C);v(E,I+0,y,L),v(_,I+2,T,L),v(w,I+4,S,L)}}function v(y,T,S,C){C<0&&y.x===1&&(o[T]=y.x-1),S.x===0&&S.z===0&&(o[T]=C/2/Math.PI+.5)}function p(y){return Math.atan2(y.z,-y.x)}function m(y){return Math.atan2(-y.y,Math.sqrt(y.x*y.x+y.z*y.z))}}copy(t){return super.copy(t),this.parameters=Object.assign({},t.parameters),this}static fromJSON(t){return new i(t.vertices,t.indices,t.radius,t.detail)}};var Mi=class{constructor(){this.type="Curve",this.arcLengthDivisions=200,this.needsUpdate=!1,this.cacheArcLengths=null}getPoint(){$t("Curve: .getPoint() not implemented.")}getPointAt(t,e){let n=this.getUtoTmapping(t);return this.getPoint(n,e)}getPoints(t=5){let e=[];for(let n=0;n<=t;n++)e.push(this.getPoint(n/t));return e}getSpacedPoints(t=5){let e=[];for(let n=0;n<=t;n++)e.push(this.getPointAt(n/t));return e}getLength(){let t=this.getLengths();return t[t.length-1]}getLengths(t=this.arcLengthDivisions){if(this.cacheArcLengths&&this.cacheArcLengths.length===t+1&&!this.needsUpdate)return this.cacheArcLengths;this.needsUpdate=!1;let e=[],n,s=this.getPoint(0),r=0;e.push(0);for(let o=1;o<=t;o++)n=this.getPoint(o/t),r+=n.distanceTo(s),e.push(r),s=n;return this.cacheArcLengths=e,e}updateArcLengths(){this.needsUpdate=!0,this.getLengths()}getUtoTmapping(t,e=null){let n=this.getLengths(),s=0,r=n.length,o;e?o=e:o=t*n[r-1];let a=0,l=r-1,c;for(;a<=l;)if(s=Math.floor(a+(l-a)/2),c=n[s]-o,c<0)a=s+1;else if(c>0)l=s-1;else{l=s;break}if(s=l,n[s]===o)return s/(r-1);let h=n[s],d=n[s+1]-h,f=(o-h)/d;return(s+f)/(r-1)}getTangent(t,e){let s=t-1e-4,r=t+1e-4;s<0&&(s=0),r>1&&(r=1);let o=this.getPoint(s),a=this.getPoint(r),l=e||(o.isVector2?new Gt:new U);return l.copy(a).sub(o).normalize(),l}getTangentAt(t,e){let n=this.getUtoTmapping(t);return this.getTangent(n,e)}computeFrenetFrames(t,e=!1){let n=new U,s=[],r=[],o=[],a=new U,l=new ve;for(let f=0;f<=t;f++){let g=f/t;s[f]=this.getTangentAt(g,new U)}r[0]=new U,o[0]=new U;let c=Number.MAX_VALUE,h=Math.abs(s[0].x),u=Math.abs(s[0].y),d=Math.abs(s[0].z);h<=c&&(c=h,n.set(1,0,0)),u<=c&&(c=u,n.set(0,1,0)),d<=c&&n.set(0,0,1),a.crossVectors(s[0],n).normalize(),r[0].crossVectors(s[0],a),o[0].crossVectors(s[0],r[0]);for(let f=1;f<=t;f++){if(r[f]=r[f-1].clone(),o[f]=o[f-1].clone(),a.crossVectors(s[f-1],s[f]),a.length()>Number.EPSILON){a.normalize();let g=Math.acos(oe(s[f-1].dot(s[f]),-1,1));r[f].applyMatrix4(l.makeRotationAxis(a,g))}o[f].crossVectors(s[f],r[f])}if(e===!0){let f=Math.acos(oe(r[0].dot(r[t]),-1,1));f/=t,s[0].dot(a.crossVectors(r[0],r[t]))>0&&(f=-f);for(let g=1;g<=t;g++)r[g].applyMatrix4(l.makeRotationAxis(s[g],f*g)),o[g].crossVectors(s[g],r[g])}return{tangents:s,normals:r,binormals:o}}clone(){return new this.constructor().copy(this)}copy(t){return this.arcLengthDivisions=t.arcLengthDivisions,this.cacheArcLengths=null,this}toJSON(){let t={metadata:{version:4.7,type:"Curve",generator:"Curve.toJSON"}};return t.arcLengthDivisions=this.arcLengthDivisions,t.type=this.type,t}fromJSON(t){return this.arcLengthDivisions=t.arcLengthDivisions,this.cacheArcLengths=null,this}},wa=class extends Mi{constructor(t=0,e=0,n=1,s=1,r=0,o=Math.PI*2,a=!1,l=0){super(),this.isEllipseCurve=!0,this.type="EllipseCurve",this.aX=t,this.aY=e,this.xRadius=n,this.yRadius=s,this.aStartAngle=r,this.aEndAngle=o,this.aClockwise=a,this.aRotation=l}getPoint(t,e=new Gt){let n=e,s=Math.PI*2,r=this.aEndAngle-this.aStartAngle,o=Math.abs(r)<Number.EPSILON;for(;r<0;)r+=s;for(;r>s;)r-=s;r<Number.EPSILON&&(o?r=0:r=s),this.aClockwise===!0&&!o&&(r===s?r=-s:r=r-s);let a=this.aStartAngle+t*r,l=this.aX+this.xRadius*Math.cos(a),c=this.aY+this.yRadius*Math.sin(a);if(this.aRotation!==0){let h=Math.cos(this.aRotation),u=Math.sin(this.aRotation),d=l-this.aX,f=c-this.aY;l=d*h-f*u+this.aX,c=d*u+f*h+this.aY}return n.set(l,c)}copy(t){return super.copy(t),this.aX=t.aX,this.aY=t.aY,this.xRadius=t.xRadius,this.yRadius=t.yRadius,this.aStartAngle=t.aStartAngle,this.aEndAngle=t.aEndAngle,this.aClockwise=t.aClockwise,this.aRotation=t.aRotation,this}toJSON(){let t=super.toJSON();return t.aX=this.aX,t.aY=this.aY,t.xRadius=this.xRadius,t.yRadius=this.yRadius,t.aStartAngle=this.aStartAngle,t.aEndAngle=this.aEndAngle,t.aClockwise=this.aClockwise,t.aRotation=this.aRotation,t}fromJSON(t){return super.fromJSON(t),this.aX=t.aX,this.aY=t.aY,this.xRadius=t.xRadius,this.yRadius=t.yRadius,this.aStartAngle=t.aStartAngle,this.aEndAngle=t.aEndAngle,this.aClockwise=t.aClockwise,this.aRotation=t.aRotation,this}},lc=class extends wa{constructor(t,e,n,s,r,o){super(t,e,n,n,s,r,o),this.isArcCurve=!0,this.type="ArcCurve"}};function Od(){let i=0,t=0,e=0,n=0;function s(r,o,a,l){i=r,t=a,e=-3*r+3*o-2*a-l,n=2*r-2*o+a+l}return{initCatmullRom:function(r,o,a,l,c){s(o,a,c*(a-r),c*(l-o))},initNonuniformCatmullRom:function(r,o,a,l,c,h,u){let d=(o-r)/c-(a-r)/(c+h)+(a-o)/h,f=(a-o)/h-(l-o)/(h+u)+(l-a)/u;d*=h,f*=h,s(o,a,d,f)},calc:function(r){let o=r*r,a=o*r;return i+t*r+e*o+n*a}}}var Yp=new U,$p=new U,Yu=new Od,$u=new Od,Zu=new Od,_o=class extends Mi{constructor(t=[],e=!1,n="centripetal",s=.5){super(),this.isCatmullRomCurve3=!0,this.type="CatmullRomCurve3",this.points=t,this.closed=e,this.curveType=n,this.tension=s}getPoint(t,e=new U){let n=e,s=this.points,r=s.length,o=(r-(this.closed?0:1))*t,a=Math.floor(o),l=o-a;this.closed?a+=a>0?0:(Math.floor(Math.abs(a)/r)+1)*r:l===0&&a===r-1&&(a=r-2,l=1);let c,h;this.closed||a>0?c=s[(a-1)%r]:($p.subVectors(s[0],s[1]).add(s[0]),c=$p);let u=s[a%r],d=s[(a+1)%r];if(this.closed||a+2<r?h=s[(a+2)%r]:(Yp.subVectors(s[r-1],s[r-2]).add(s[r-1]),h=Yp),this.curveType==="centripetal"||this.curveType==="chordal"){let f=this.curveType==="chordal"?.5:.25,g=Math.pow(c.distanceToSquared(u),f),v=Math.pow(u.distanceToSquared(d),f),p=Math.pow(d.distanceToSquared(h),f);v<1e-4&&(v=1),g<1e-4&&(g=v),p<1e-4&&(p=v),Yu.initNonuniformCatmullRom(c.x,u.x,d.x,h.x,g,v,p),$u.initNonuniformCatmullRom(c.y,u.y,d.y,h.y,g,v,p),Zu.initNonuniformCatmullRom(c.z,u.z,d.z,h.z,g,v,p)}else this.curveType==="catmullrom"&&(Yu.initCatmullRom(c.x,u.x,d.x,h.x,this.tension),$u.initCatmullRom(c.y,u.y,d.y,h.y,this.tension),Zu.initCatmullRom(c.z,u.z,d.z,h.z,this.tension));return n.set(Yu.calc(l),$u.calc(l),Zu.calc(l)),n}copy(t){super.copy(t),this.points=[];for(let e=0,n=t.points.length;e<n;e++){let s=t.points[e];this.points.push(s.clone())}return this.closed=t.closed,this.curveType=t.curveType,this.tension=t.tension,this}toJSON(){let t=super.toJSON();t.points=[];for(let e=0,n=this.points.length;e<n;e++){let s=this.points[e];t.points.push(s.toArray())}return t.closed=this.closed,t.curveType=this.curveType,t.tension=this.tension,t}fromJSON(t){super.fromJSON(t),this.points=[];for(let e=0,n=t.points.length;e<n;e++){let s=t.points[e];this.points.push(new U().fromArray(s))}return this.closed=t.closed,this.curveType=t.curveType,this.tension=t.tension,this}};function Zp(i,t,e,n,s){let r=(n-t)*.5,o=(s-e)*.5,a=i*i,l=i*a;return(2*e-2*n+r+o)*l+(-3*e+3*n-2*r-o)*a+r*i+e}function Bx(i,t){let e=1-i;return e*e*t}function kx(i,t){return 2*(1-i)*i*t}function zx(i,t){return i*i*t}function aa(i,t,e,n){return Bx(i,t)+kx(i,e)+zx(i,n)}function Vx(i,t){let e=1-i;return e*e*e*t}function Gx(i,t){let e=1-i;return 3*e*e*i*t}function Hx(i,t){return 3*(1-i)*i*i*t}function Wx(i,t){return i*i*i*t}function la(i,t,e,n,s){return Vx(i,t)+Gx(i,e)+Hx(i,n)+Wx(i,s)}var cc=class extends Mi{constructor(t=new Gt,e=new Gt,n=new Gt,s=new Gt){super(),this.isCubicBezierCurve=!0,this.type="CubicBezierCurve",this.v0=t,this.v1=e,this.v2=n,this.v3=s}getPoint(t,e=new Gt){let n=e,s=this.v0,r=this.v1,o=this.v2,a=this.v3;return n.set(la(t,s.x,r.x,o.x,a.x),la(t,s.y,r.y,o.y,a.y)),n}copy(t){return super.copy(t),this.v0.copy(t.v0),this.v1.copy(t.v1),this.v2.copy(t.v2),this.v3.copy(t.v3),this}toJSON(){let t=super.toJSON();return t.v0=this.v0.toArray(),t.v1=this.v1.toArray(),t.v2=this.v2.toArray(),t.v3=this.v3.toArray(),t}fromJSON(t){return super.fromJSON(t),this.v0.fromArray(t.v0),this.v1.fromArray(t.v1),this.v2.fromArray(t.v2),this.v3.fromArray(t.v3),this}},hc=class extends Mi{constructor(t=new U,e=new U,n=new U,s=new U){super(),this.isCubicBezierCurve3=!0,this.type="CubicBezierCurve3",this.v0=t,this.v1=e,this.v2=n,this.v3=s}getPoint(t,e=new U){let n=e,s=this.v0,r=this.v1,o=this.v2,a=this.v3;return n.set(la(t,s.x,r.x,o.x,a.x),la(t,s.y,r.y,o.y,a.y),la(t,s.z,r.z,o.z,a.z)),n}copy(t){return super.copy(t),this.v0.copy(t.v0),this.v1.copy(t.v1),this.v2.copy(t.v2),this.v3.copy(t.v3),this}toJSON(){let t=super.toJSON();return t.v0=this.v0.toArray(),t.v1=this.v1.toArray(),t.v2=this.v2.toArray(),t.v3=this.v3.toArray(),t}fromJSON(t){return super.fromJSON(t),this.v0.fromArray(t.v0),this.v1.fromArray(t.v1),this.v2.fromArray(t.v2),this.v3.fromArray(t.v3),this}},uc=class extends Mi{constructor(t=new Gt,e=new Gt){super(),this.isLineCurve=!0,this.type="LineCurve",this.v1=t,this.v2=e}getPoint(t,e=new Gt){let n=e;return t===1?n.copy(this.v2):(n.copy(this.v2).sub(this.v1),n.multiplyScalar(t).add(this.v1)),n}getPointAt(t,e){return this.getPoint(t,e)}getTangent(t,e=new Gt){return e.subVectors(this.v2,this.v1).normalize()}getTangentAt(t,e){return this.getTangent(t,e)}copy(t){return super.copy(t),this.v1.copy(t.v1),this.v2.copy(t.v2),this}toJSON(){let t=super.toJSON();return t.v1=this.v1.toArray(),t.v2=this.v2.toArray(),t}fromJSON(t){return super.fromJSON(t),this.v1.fromArray(t.v1),this.v2.fromArray(t.v2),this}},dc=class extends Mi{constructor(t=new U,e=new U){super(),this.isLineCurve3=!0,this.type="LineCurve3",this.v1=t,this.v2=e}getPoint(t,e=new U){let n=e;return t===1?n.copy(this.v2):(n.copy(this.v2).sub(this.v1),n.multiplyScalar(t).add(this.v1)),n}getPointAt(t,e){return this.getPoint(t,e)}getTangent(t,e=new U){return e.subVectors(this.v2,this.v1).normalize()}getTangentAt(t,e){return this.getTangent(t,e)}copy(t){return super.copy(t),this.v1.copy(t.v1),this.v2.copy(t.v2),this}toJSON(){let t=super.toJSON();return t.v1=this.v1.toArray(),t.v2=this.v2.toArray(),t}fromJSON(t){return super.fromJSON(t),this.v1.fromArray(t.v1),this.v2.fromArray(t.v2),this}},fc=class extends Mi{constructor(t=new Gt,e=new Gt,n=new Gt){super(),this.isQuadraticBezierCurve=!0,this.type="QuadraticBezierCurve",this.v0=t,this.v1=e,this.v2=n}getPoint(t,e=new Gt){let n=e,s=this.v0,r=this.v1,o=this.v2;return n.set(aa(t,s.x,r.x,o.x),aa(t,s.y,r.y,o.y)),n}copy(t){return super.copy(t),this.v0.copy(t.v0),this.v1.copy(t.v1),this.v2.copy(t.v2),this}toJSON(){let t=super.toJSON();return t.v0=this.v0.toArray(),t.v1=this.v1.toArray(),t.v2=this.v2.toArray(),t}fromJSON(t){return super.fromJSON(t),this.v0.fromArray(t.v0),this.v1.fromArray(t.v1),this.v2.fromArray(t.v2),this}},Aa=class extends Mi{constructor(t=new U,e=new U,n=new U){super(),this.isQuadraticBezierCurve3=!0,this.type="QuadraticBezierCurve3",this.v0=t,this.v1=e,this.v2=n}getPoint(t,e=new U){let n=e,s=this.v0,r=this.v1,o=this.v2;return n.set(aa(t,s.x,r.x,o.x),aa(t,s.y,r.y,o.y),aa(t,s.z,r.z,o.z)),n}copy(t){return super.copy(t),this.v0.copy(t.v0),this.v1.copy(t.v1),this.v2.copy(t.v2),this}toJSON(){let t=super.toJSON();return t.v0=this.v0.toArray(),t.v1=this.v1.toArray(),t.v2=this.v2.toArray(),t}fromJSON(t){return super.fromJSON(t),this.v0.fromArray(t.v0),this.v1.fromArray(t.v1),this.v2.fromArray(t.v2),this}},pc=class extends Mi{constructor(t=[]){super(),this.isSplineCurve=!0,this.type="SplineCurve",this.points=t}getPoint(t,e=new Gt){let n=e,s=this.points,r=(s.length-1)*t,o=Math.floor(r),a=r-o,l=s[o===0?o:o-1],c=s[o],h=s[o>s.length-2?s.length-1:o+1],u=s[o>s.length-3?s.length-1:o+2];return n.set(Zp(a,l.x,c.x,h.x,u.x),Zp(a,l.y,c.y,h.y,u.y)),n}copy(t){super.copy(t),this.points=[];for(let e=0,n=t.points.length;e<n;e++){let s=t.points[e];this.points.push(s.clone())}return this}toJSON(){let t=super.toJSON();t.points=[];for(let e=0,n=this.points.length;e<n;e++){let s=this.points[e];t.points.push(s.toArray())}return t}fromJSON(t){super.fromJSON(t),this.points=[];for(let e=0,n=t.points.length;e<n;e++){let s=t.points[e];this.points.push(new Gt().fromArray(s))}return this}},Xx=Object.freeze({__proto__:null,ArcCurve:lc,CatmullRomCurve3:_o,CubicBezierCurve:cc,CubicBezierCurve3:hc,EllipseCurve:wa,LineCurve:uc,LineCurve3:dc,QuadraticBezierCurve:fc,QuadraticBezierCurve3:Aa,SplineCurve:pc});var xo=class i extends ac{constructor(t=1,e=0){let n=(1+Math.sqrt(5))/2,s=[-1,n,0,1,n,0,-1,-n,0,1,-n,0,0,-1,n,0,1,n,0,-1,-n,0,1,-n,n,0,-1,n,0,1,-n,0,-1,-n,0,1],r=[0,11,5,0,5,1,0,1,7,0,7,10,0,10,11,1,5,9,5,11,4,11,10,2,10,7,6,7,1,8,3,9,4,3,4,2,3,2,6,3,6,8,3,8,9,4,9,5,2,4,11,6,2,10,8,6,7,9,8,1];super(s,r,t,e),this.type="IcosahedronGeometry",this.parameters={radius:t,detail:e}}static fromJSON(t){return new i(t.radius,t.detail)}};var pr=class i extends un{constructor(t=1,e=1,n=1,s=1){super(),this.type="PlaneGeometry",this.parameters={width:t,height:e,widthSegments:n,heightSegments:s};let r=t/2,o=e/2,a=Math.floor(n),l=Math.floor(s),c=a+1,h=l+1,u=t/a,d=e/l,f=[],g=[],v=[],p=[];for(let m=0;m<h;m++){let y=m*d-o;for(let T=0;T<c;T++){let S=T*u-r;g.push(S,-y,0),v.push(0,0,1),p.push(T/a),p.push(1-m/l)}}for(let m=0;m<l;m++)for(let y=0;y<a;y++){let T=y+c*m,S=y+c*(m+1),C=y+1+c*(m+1),E=y+1+c*m;f.push(T,S,E),f.push(S,C,E)}this.setIndex(f),this.setAttribute("position",new Me(g,3)),this.setAttribute("normal",new Me(v,3)),this.setAttribute("uv",new Me(p,2))}copy(t){return super.copy(t),this.parameters=Object.assign({},t.parameters),this}static fromJSON(t){return new i(t.width,t.height,t.widthSegments,t.heightSegments)}};var yo=class i extends un{constructor(t=1,e=32,n=16,s=0,r=Math.PI*2,o=0,a=Math.PI){super(),this.type="SphereGeometry",this.parameters={radius:t,widthSegments:e,heightSegments:n,phiStart:s,phiLength:r,thetaStart:o,thetaLength:a},e=Math.max(3,Math.floor(e)),n=Math.max(2,Math.floor(n));let l=Math.min(o+a,Math.PI),c=0,h=[],u=new U,d=new U,f=[],g=[],v=[],p=[];for(let m=0;m<=n;m++){let y=[],T=m/n,S=o+T*a,C=t*Math.cos(S),E=Math.sqrt(t*t-C*C),_=0;m===0&&o===0?_=.5/e:m===n&&l===Math.PI&&(_=-.5/e);for(let w=0;w<=e;w++){let F=w/e,I=s+F*r;u.x=-E*Math.cos(I),u.y=C,u.z=E*Math.sin(I),g.push(u.x,u.y,u.z),d.copy(u).normalize(),v.push(d.x,d.y,d.z),p.push(F+_,1-T),y.push(c++)}h.push(y)}for(let m=0;m<n;m++)for(let y=0;y<e;y++){let T=h[m][y+1],S=h[m][y],C=h[m+1][y],E=h[m+1][y+1];(m!==0||o>0)&&f.push(T,S,E),(m!==n-1||l<Math.PI)&&f.push(S,C,E)}this.setIndex(f),this.setAttribute("position",new Me(g,3)),this.setAttribute("normal",new Me(v,3)),this.setAttribute("uv",new Me(p,2))}copy(t){return super.copy(t),this.parameters=Object.assign({},t.parameters),this}static fromJSON(t){return new i(t.radius,t.widthSegments,t.heightSegments,t.phiStart,t.phiLength,t.thetaStart,t.thetaLength)}};var Ta=class i extends un{constructor(t=1,e=.4,n=12,s=48,r=Math.PI*2,o=0,a=Math.PI*2){super(),this.type="TorusGeometry",this.parameters={radius:t,tube:e,radialSegments:n,tubularSegments:s,arc:r,thetaStart:o,thetaLength:a},n=Math.floor(n),s=Math.floor(s);let l=[],c=[],h=[],u=[],d=new U,f=new U,g=new U;for(let v=0;v<=n;v++){let p=o+v/n*a;for(let m=0;m<=s;m++){let y=m/s*r;f.x=(t+e*Math.cos(p))*Math.cos(y),f.y=(t+e*Math.cos(p))*Math.sin(y),f.z=e*Math.sin(p),c.push(f.x,f.y,f.z),d.x=t*Math.cos(y),d.y=t*Math.sin(y),g.subVectors(f,d).normalize(),h.push(g.x,g.y,g.z),u.push(m/s),u.push(v/n)}}for(let v=1;v<=n;v++)for(let p=1;p<=s;p++){let m=(s+1)*v+p-1,y=(s+1)*(v-1)+p-1,T=(s+1)*(v-1)+p,S=(s+1)*v+p;l.push(m,y,S),l.push(y,T,S)}this.setIndex(l),this.setAttribute("position",new Me(c,3)),this.setAttribute("normal",new Me(h,3)),this.setAttribute("uv",new Me(u,2))}copy(t){return super.copy(t),this.parameters=Object.assign({},t.parameters),this}static fromJSON(t){return new i(t.radius,t.tube,t.radialSegments,t.tubularSegments,t.arc,t.thetaStart,t.thetaLength)}};var Ea=class i extends un{constructor(t=new Aa(new U(-1,-1,0),new U(-1,1,0),new U(1,1,0)),e=64,n=1,s=8,r=!1){super(),this.type="TubeGeometry",this.parameters={path:t,tubularSegments:e,radius:n,radialSegments:s,closed:r};let o=t.computeFrenetFrames(e,r);this.tangents=o.tangents,this.normals=o.normals,this.binormals=o.binormals;let a=new U,l=new U,c=new Gt,h=new U,u=[],d=[],f=[],g=[];v(),this.setIndex(g),this.setAttribute("position",new Me(u,3)),this.setAttribute("normal",new Me(d,3)),this.setAttribute("uv",new Me(f,2));function v(){for(let T=0;T<e;T++)p(T);p(r===!1?e:0),y(),m()}function p(T){h=t.getPointAt(T/e,h);let S=o.normals[T],C=o.binormals[T];for(let E=0;E<=s;E++){let _=E/s*Math.PI*2,w=Math.sin(_),F=-Math.cos(_);l.x=F*S.x+w*C.x,l.y=F*S.y+w*C.y,l.z=F*S.z+w*C.z,l.normalize(),d.push(l.x,l.y,l.z),a.x=h.x+n*l.x,a.y=h.y+n*l.y,a.z=h.z+n*l.z,u.push(a.x,a.y,a.z)}}function m(){for(let T=1;T<=e;T++)for(let S=1;S<=s;S++){let C=(s+1)*(T-1)+(S-1),E=(s+1)*T+(S-1),_=(s+1)*T+S,w=(s+1)*(T-1)+S;g.push(C,E,w),g.push(E,_,w)}}function y(){for(let T=0;T<=e;T++)for(let S=0;S<=s;S++)c.x=T/e,c.y=S/s,f.push(c.x,c.y)}}copy(t){return super.copy(t),this.parameters=Object.assign({},t.parameters),this}toJSON(){let t=super.toJSON();return t.path=this.parameters.path.toJSON(),t}static fromJSON(t){return new i(new Xx[t.path.type]().fromJSON(t.path),t.tubularSegments,t.radius,t.radialSegments,t.closed)}},Ca=class extends un{constructor(t=null){if(super(),this.type="WireframeGeometry",this.parameters={geometry:t},t!==null){let e=[],n=new Set,s=new U,r=new U;if(t.index!==null){let o=t.attributes.position,a=t.index,l=t.groups;l.length===0&&(l=[{start:0,count:a.count,materialIndex:0}]);for(let c=0,h=l.length;c<h;++c){let u=l[c],d=u.start,f=u.count;for(let g=d,v=d+f;g<v;g+=3)for(let p=0;p<3;p++){let m=a.getX(g+p),y=a.getX(g+(p+1)%3);s.fromBufferAttribute(o,m),r.fromBufferAttribute(o,y),Jp(s,r,n)===!0&&(e.push(s.x,s.y,s.z),e.push(r.x,r.y,r.z))}}}else{let o=t.attributes.position;for(let a=0,l=o.count/3;a<l;a++)for(let c=0;c<3;c++){let h=3*a+c,u=3*a+(c+1)%3;s.fromBufferAttribute(o,h),r.fromBufferAttribute(o,u),Jp(s,r,n)===!0&&(e.push(s.x,s.y,s.z),e.push(r.x,r.y,r.z))}}this.setAttribute("position",new Me(e,3))}}copy(t){return super.copy(t),this.parameters=Object.assign({},t.parameters),this}};function Jp(i,t,e){let n=`${i.x},${i.y},${i.z}-${t.x},${t.y},${t.z}`,s=`${t.x},${t.y},${t.z}-${i.x},${i.y},${i.z}`;return e.has(n)===!0||e.has(s)===!0?!1:(e.add(n),e.add(s),!0)}var Ra=class extends Ui{constructor(t){super(),this.isShadowMaterial=!0,this.type="ShadowMaterial",this.color=new zt(0),this.transparent=!0,this.fog=!0,this.setValues(t)}copy(t){return super.copy(t),this.color.copy(t.color),this.fog=t.fog,this}};function Mr(i){let t={};for(let e in i){t[e]={};for(let n in i[e]){let s=i[e][n];if(Kp(s))s.isRenderTargetTexture?($t("UniformsUtils: Textures of render targets cannot be cloned via cloneUniforms() or mergeUniforms()."),t[e][n]=null):t[e][n]=s.clone();else if(Array.isArray(s))if(Kp(s[0])){let r=[];for(let o=0,a=s.length;o<a;o++)r[o]=s[o].clone();t[e][n]=r}else t[e][n]=s.slice();else t[e][n]=s}}return t}function Hn(i){let t={};for(let e=0;e<i.length;e++){let n=Mr(i[e]);for(let s in n)t[s]=n[s]}return t}function Kp(i){return i&&(i.isColor||i.isMatrix3||i.isMatrix4||i.isVector2||i.isVector3||i.isVector4||i.isTexture||i.isQuaternion)}function qx(i){let t=[];for(let e=0;e<i.length;e++)t.push(i[e].clone());return t}function Bd(i){let t=i.getRenderTarget();return t===null?i.outputColorSpace:t.isXRRenderTarget===!0?t.texture.colorSpace:ge.workingColorSpace}var qa={clone:Mr,merge:Hn},Yx=`void main() {
	gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
}`,$x=`void main() {
	gl_FragColor = vec4( 1.0, 0.0, 0.0, 1.0 );
}`,bi=class extends Ui{constructor(t){super(),this.isShaderMaterial=!0,this.type="ShaderMaterial",this.defines={},this.uniforms={},this.uniformsGroups=[],this.vertexShader=Yx,this.fragmentShader=$x,this.linewidth=1,this.wireframe=!1,this.wireframeLinewidth=1,this.fog=!1,this.lights=!1,this.clipping=!1,this.forceSinglePass=!0,this.extensions={clipCullDistance:!1,multiDraw:!1},this.defaultAttributeValues={color:[1,1,1],uv:[0,0],uv1:[0,0]},this.index0AttributeName=void 0,this.uniformsNeedUpdate=!1,this.glslVersion=null,t!==void 0&&this.setValues(t)}copy(t){return super.copy(t),this.fragmentShader=t.fragmentShader,this.vertexShader=t.vertexShader,this.uniforms=Mr(t.uniforms),this.uniformsGroups=qx(t.uniformsGroups),this.defines=Object.assign({},t.defines),this.wireframe=t.wireframe,this.wireframeLinewidth=t.wireframeLinewidth,this.fog=t.fog,this.lights=t.lights,this.clipping=t.clipping,this.extensions=Object.assign({},t.extensions),this.glslVersion=t.glslVersion,this.defaultAttributeValues=Object.assign({},t.defaultAttributeValues),this.index0AttributeName=t.index0AttributeName,this.uniformsNeedUpdate=t.uniformsNeedUpdate,this}toJSON(t){let e=super.toJSON(t);e.glslVersion=this.glslVersion,e.uniforms={};for(let s in this.uniforms){let o=this.uniforms[s].value;o&&o.isTexture?e.uniforms[s]={type:"t",value:o.toJSON(t).uuid}:o&&o.isColor?e.uniforms[s]={type:"c",value:o.getHex()}:o&&o.isVector2?e.uniforms[s]={type:"v2",value:o.toArray()}:o&&o.isVector3?e.uniforms[s]={type:"v3",value:o.toArray()}:o&&o.isVector4?e.uniforms[s]={type:"v4",value:o.toArray()}:o&&o.isMatrix3?e.uniforms[s]={type:"m3",value:o.toArray()}:o&&o.isMatrix4?e.uniforms[s]={type:"m4",value:o.toArray()}:e.uniforms[s]={value:o}}Object.keys(this.defines).length>0&&(e.defines=this.defines),e.vertexShader=this.vertexShader,e.fragmentShader=this.fragmentShader,e.lights=this.lights,e.clipping=this.clipping;let n={};for(let s in this.extensions)this.extensions[s]===!0&&(n[s]=!0);return Object.keys(n).length>0&&(e.extensions=n),e}fromJSON(t,e){if(super.fromJSON(t,e),t.uniforms!==void 0)for(let n in t.uniforms){let s=t.uniforms[n];switch(this.uniforms[n]={},s.type){case"t":this.uniforms[n].value=e[s.value]||null;break;case"c":this.uniforms[n].value=new zt().setHex(s.value);break;case"v2":this.uniforms[n].value=new Gt().fromArray(s.value);break;case"v3":this.uniforms[n].value=new U().fromArray(s.value);break;case"v4":this.uniforms[n].value=new Ce().fromArray(s.value);break;case"m3":this.uniforms[n].value=new ee().fromArray(s.value);break;case"m4":this.uniforms[n].value=new ve().fromArray(s.value);break;default:this.uniforms[n].value=s.value}}if(t.defines!==void 0&&(this.defines=t.defines),t.vertexShader!==void 0&&(this.vertexShader=t.vertexShader),t.fragmentShader!==void 0&&(this.fragmentShader=t.fragmentShader),t.glslVersion!==void 0&&(this.glslVersion=t.glslVersion),t.extensions!==void 0)for(let n in t.extensions)this.extensions[n]=t.extensions[n];return t.lights!==void 0&&(this.lights=t.lights),t.clipping!==void 0&&(this.clipping=t.clipping),this}},mc=class extends bi{constructor(t){super(t),this.isRawShaderMaterial=!0,this.type="RawShaderMaterial"}},mr=class extends Ui{constructor(t){super(),this.isMeshStandardMaterial=!0,this.type="MeshStandardMaterial",this.defines={STANDARD:""},this.color=new zt(16777215),this.roughness=1,this.metalness=0,this.map=null,this.lightMap=null,this.lightMapIntensity=1,this.aoMap=null,this.aoMapIntensity=1,this.emissive=new zt(0),this.emissiveIntensity=1,this.emissiveMap=null,this.bumpMap=null,this.bumpScale=1,this.normalMap=null,this.normalMapType=Xa,this.normalScale=new Gt(1,1),this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.roughnessMap=null,this.metalnessMap=null,this.alphaMap=null,this.envMap=null,this.envMapRotation=new ji,this.envMapIntensity=1,this.wireframe=!1,this.wireframeLinewidth=1,this.wireframeLinecap="round",this.wireframeLinejoin="round",this.flatShading=!1,this.fog=!0,this.setValues(t)}copy(t){return super.copy(t),this.defines={STANDARD:""},this.color.copy(t.color),this.roughness=t.roughness,this.metalness=t.metalness,this.map=t.map,this.lightMap=t.lightMap,this.lightMapIntensity=t.lightMapIntensity,this.aoMap=t.aoMap,this.aoMapIntensity=t.aoMapIntensity,this.emissive.copy(t.emissive),this.emissiveMap=t.emissiveMap,this.emissiveIntensity=t.emissiveIntensity,this.bumpMap=t.bumpMap,this.bumpScale=t.bumpScale,this.normalMap=t.normalMap,this.normalMapType=t.normalMapType,this.normalScale.copy(t.normalScale),this.displacementMap=t.displacementMap,this.displacementScale=t.displacementScale,this.displacementBias=t.displacementBias,this.roughnessMap=t.roughnessMap,this.metalnessMap=t.metalnessMap,this.alphaMap=t.alphaMap,this.envMap=t.envMap,this.envMapRotation.copy(t.envMapRotation),this.envMapIntensity=t.envMapIntensity,this.wireframe=t.wireframe,this.wireframeLinewidth=t.wireframeLinewidth,this.wireframeLinecap=t.wireframeLinecap,this.wireframeLinejoin=t.wireframeLinejoin,this.flatShading=t.flatShading,this.fog=t.fog,this}};var Pa=class extends Ui{constructor(t){super(),this.isMeshLambertMaterial=!0,this.type="MeshLambertMaterial",this.color=new zt(16777215),this.map=null,this.lightMap=null,this.lightMapIntensity=1,this.aoMap=null,this.aoMapIntensity=1,this.emissive=new zt(0),this.emissiveIntensity=1,this.emissiveMap=null,this.bumpMap=null,this.bumpScale=1,this.normalMap=null,this.normalMapType=Xa,this.normalScale=new Gt(1,1),this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.specularMap=null,this.alphaMap=null,this.envMap=null,this.envMapRotation=new ji,this.combine=Pc,this.reflectivity=1,this.envMapIntensity=1,this.refractionRatio=.98,this.wireframe=!1,this.wireframeLinewidth=1,this.wireframeLinecap="round",this.wireframeLinejoin="round",this.flatShading=!1,this.fog=!0,this.setValues(t)}copy(t){return super.copy(t),this.color.copy(t.color),this.map=t.map,this.lightMap=t.lightMap,this.lightMapIntensity=t.lightMapIntensity,this.aoMap=t.aoMap,this.aoMapIntensity=t.aoMapIntensity,this.emissive.copy(t.emissive),this.emissiveMap=t.emissiveMap,this.emissiveIntensity=t.emissiveIntensity,this.bumpMap=t.bumpMap,this.bumpScale=t.bumpScale,this.normalMap=t.normalMap,this.normalMapType=t.normalMapType,this.normalScale.copy(t.normalScale),this.displacementMap=t.displacementMap,this.displacementScale=t.displacementScale,this.displacementBias=t.displacementBias,this.specularMap=t.specularMap,this.alphaMap=t.alphaMap,this.envMap=t.envMap,this.envMapRotation.copy(t.envMapRotation),this.combine=t.combine,this.reflectivity=t.reflectivity,this.envMapIntensity=t.envMapIntensity,this.refractionRatio=t.refractionRatio,this.wireframe=t.wireframe,this.wireframeLinewidth=t.wireframeLinewidth,this.wireframeLinecap=t.wireframeLinecap,this.wireframeLinejoin=t.wireframeLinejoin,this.flatShading=t.flatShading,this.fog=t.fog,this}},gc=class extends Ui{constructor(t){super(),this.isMeshDepthMaterial=!0,this.type="MeshDepthMaterial",this.depthPacking=Im,this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.wireframe=!1,this.wireframeLinewidth=1,this.setValues(t)}copy(t){return super.copy(t),this.depthPacking=t.depthPacking,this.map=t.map,this.alphaMap=t.alphaMap,this.displacementMap=t.displacementMap,this.displacementScale=t.displacementScale,this.displacementBias=t.displacementBias,this.wireframe=t.wireframe,this.wireframeLinewidth=t.wireframeLinewidth,this}},_c=class extends Ui{constructor(t){super(),this.isMeshDistanceMaterial=!0,this.type="MeshDistanceMaterial",this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.setValues(t)}copy(t){return super.copy(t),this.map=t.map,this.alphaMap=t.alphaMap,this.displacementMap=t.displacementMap,this.displacementScale=t.displacementScale,this.displacementBias=t.displacementBias,this}};function eo(i,t){return!i||i.constructor===t?i:typeof t.BYTES_PER_ELEMENT=="number"?new t(i):Array.prototype.slice.call(i)}function Fl(i){return i!==void 0&&i.inTangents!==void 0&&i.outTangents!==void 0}var Vs=class{constructor(t,e,n,s){this.parameterPositions=t,this._cachedIndex=0,this.resultBuffer=s!==void 0?s:new e.constructor(n),this.sampleValues=e,this.valueSize=n,this.settings=null,this.DefaultSettings_={}}evaluate(t){let e=this.parameterPositions,n=this._cachedIndex,s=e[n],r=e[n-1];n:{t:{let o;e:{i:if(!(t<s)){for(let a=n+2;;){if(s===void 0){if(t<r)break i;return n=e.length,this._cachedIndex=n,this.copySampleValue_(n-1)}if(n===a)break;if(r=s,s=e[++n],t<s)break t}o=e.length;break e}if(!(t>=r)){let a=e[1];t<a&&(n=2,r=a);for(let l=n-2;;){if(r===void 0)return this._cachedIndex=0,this.copySampleValue_(0);if(n===l)break;if(s=r,r=e[--n-1],t>=r)break t}o=n,n=0;break e}break n}for(;n<o;){let a=n+o>>>1;t<e[a]?o=a:n=a+1}if(s=e[n],r=e[n-1],r===void 0)return this._cachedIndex=0,this.copySampleValue_(0);if(s===void 0)return n=e.length,this._cachedIndex=n,this.copySampleValue_(n-1)}this._cachedIndex=n,this.intervalChanged_(n,r,s)}return this.interpolate_(n,r,t,s)}getSettings_(){return this.settings||this.DefaultSettings_}copySampleValue_(t){let e=this.resultBuffer,n=this.sampleValues,s=this.valueSize,r=t*s;for(let o=0;o!==s;++o)e[o]=n[r+o];return e}interpolate_(){throw new Error("THREE.Interpolant: Call to abstract method.")}intervalChanged_(){}},xc=class extends Vs{constructor(t,e,n,s){super(t,e,n,s),this._weightPrev=-0,this._offsetPrev=-0,this._weightNext=-0,this._offsetNext=-0,this.DefaultSettings_={endingStart:Qu,endingEnd:Qu}}intervalChanged_(t,e,n){let s=this.parameterPositions,r=t-2,o=t+1,a=s[r],l=s[o];if(a===void 0)switch(this.getSettings_().endingStart){case td:r=t,a=2*e-n;break;case ed:r=s.length-2,a=e+s[r]-s[r+1];break;default:r=t,a=n}if(l===void 0)switch(this.getSettings_().endingEnd){case td:o=t,l=2*n-e;break;case ed:o=1,l=n+s[1]-s[0];break;default:o=t-1,l=e}let c=(n-e)*.5,h=this.valueSize;this._weightPrev=c/(e-a),this._weightNext=c/(l-n),this._offsetPrev=r*h,this._offsetNext=o*h}interpolate_(t,e,n,s){let r=this.resultBuffer,o=this.sampleValues,a=this.valueSize,l=t*a,c=l-a,h=this._offsetPrev,u=this._offsetNext,d=this._weightPrev,f=this._weightNext,g=(n-e)/(s-e),v=g*g,p=v*g,m=-d*p+2*d*v-d*g,y=(1+d)*p+(-1.5-2*d)*v+(-.5+d)*g+1,T=(-1-f)*p+(1.5+f)*v+.5*g,S=f*p-f*v;for(let C=0;C!==a;++C)r[C]=m*o[h+C]+y*o[c+C]+T*o[l+C]+S*o[u+C];return r}},yc=class extends Vs{constructor(t,e,n,s){super(t,e,n,s)}interpolate_(t,e,n,s){let r=this.resultBuffer,o=this.sampleValues,a=this.valueSize,l=t*a,c=l-a,h=(n-e)/(s-e),u=1-h;for(let d=0;d!==a;++d)r[d]=o[c+d]*u+o[l+d]*h;return r}},vc=class extends Vs{constructor(t,e,n,s){super(t,e,n,s)}interpolate_(t){return this.copySampleValue_(t-1)}},Sc=class extends Vs{interpolate_(t,e,n,s){let r=this.resultBuffer,o=this.sampleValues,a=this.valueSize,l=t*a,c=l-a,h=this.inTangents,u=this.outTangents;if(!h||!u){let g=(n-e)/(s-e),v=1-g;for(let p=0;p!==a;++p)r[p]=o[c+p]*v+o[l+p]*g;return r}let d=a*2,f=t-1;for(let g=0;g!==a;++g){let v=o[c+g],p=o[l+g],m=f*d+g*2,y=u[m],T=u[m+1],S=t*d+g*2,C=h[S],E=h[S+1],_=Jx(n,e,y,C,s);r[g]=Wm(_,v,T,E,p)}return r}};function Wm(i,t,e,n,s){let r=1-i;return r*r*r*t+3*r*r*i*e+3*r*i*i*n+i*i*i*s}function Zx(i,t,e,n,s){let r=1-i;return 3*r*r*(e-t)+6*r*i*(n-e)+3*i*i*(s-n)}function Jx(i,t,e,n,s){let r=(i-t)/(s-t);for(let o=0;o<8;o++){let a=Wm(r,t,e,n,s)-i;if(Math.abs(a)<1e-10)break;let l=Zx(r,t,e,n,s);if(Math.abs(l)<1e-10)break;r=Math.max(0,Math.min(1,r-a/l))}return r}var fi=class{constructor(t,e,n,s){if(t===void 0)throw new Error("THREE.KeyframeTrack: track name is undefined");if(e===void 0||e.length===0)throw new Error("THREE.KeyframeTrack: no keyframes in track named "+t);this.name=t,this.times=eo(e,this.TimeBufferType),this.values=eo(n,this.ValueBufferType),this.setInterpolation(s||this.DefaultInterpolation)}static toJSON(t){let e=t.constructor,n;if(e.toJSON!==this.toJSON)n=e.toJSON(t);else{n={name:t.name,times:eo(t.times,Array),values:eo(t.values,Array)};let s=t.getInterpolation();s!==t.DefaultInterpolation&&(n.interpolation=s),Fl(t.settings)&&(n.settings={inTangents:eo(t.settings.inTangents,Array),outTangents:eo(t.settings.outTangents,Array)})}return n.type=t.ValueTypeName,n}InterpolantFactoryMethodDiscrete(t){return new vc(this.times,this.values,this.getValueSize(),t)}InterpolantFactoryMethodLinear(t){return new yc(this.times,this.values,this.getValueSize(),t)}InterpolantFactoryMethodSmooth(t){return new xc(this.times,this.values,this.getValueSize(),t)}InterpolantFactoryMethodBezier(t){let e=new Sc(this.times,this.values,this.getValueSize(),t);return this.settings&&(e.inTangents=this.settings.inTangents,e.outTangents=this.settings.outTangents),e}setInterpolation(t){let e;switch(t){case ca:e=this.InterpolantFactoryMethodDiscrete;break;case Kl:e=this.InterpolantFactoryMethodLinear;break;case zl:e=this.InterpolantFactoryMethodSmooth;break;case ju:e=this.InterpolantFactoryMethodBezier;break}if(e===void 0){let n="unsupported interpolation for "+this.ValueTypeName+" keyframe track named "+this.name;if(this.createInterpolant===void 0)if(t!==this.DefaultInterpolation)this.setInterpolation(this.DefaultInterpolation);else throw new Error(n);return $t("KeyframeTrack:",n),this}return this.createInterpolant=e,this}getInterpolation(){switch(this.createInterpolant){case this.InterpolantFactoryMethodDiscrete:return ca;case this.InterpolantFactoryMethodLinear:return Kl;case this.InterpolantFactoryMethodSmooth:return zl;case this.InterpolantFactoryMethodBezier:return ju}}getValueSize(){return this.values.length/this.times.length}shift(t){if(t!==0){let e=this.times;for(let n=0,s=e.length;n!==s;++n)e[n]+=t;Fl(this.settings)&&(jp(this.settings.inTangents,t),jp(this.settings.outTangents,t))}return this}scale(t){if(t!==1){let e=this.times;for(let n=0,s=e.length;n!==s;++n)e[n]*=t;Fl(this.settings)&&(Qp(this.settings.inTangents,t),Qp(this.settings.outTangents,t))}return this}trim(t,e){let n=this.times,s=n.length,r=0,o=s-1;for(;r!==s&&n[r]<t;)++r;for(;o!==-1&&n[o]>e;)--o;if(++o,r!==0||o!==s){r>=o&&(o=Math.max(o,1),r=o-1);let a=this.getValueSize();this.times=n.slice(r,o),this.values=this.values.slice(r*a,o*a)}return this}validate(){let t=!0,e=this.getValueSize();e-Math.floor(e)!==0&&(Qt("KeyframeTrack: Invalid value size in track.",this),t=!1);let n=this.times,s=this.values,r=n.length;r===0&&(Qt("KeyframeTrack: Track is empty.",this),t=!1);let o=null;for(let a=0;a!==r;a++){let l=n[a];if(typeof l=="number"&&isNaN(l)){Qt("KeyframeTrack: Time is not a valid number.",this,a,l),t=!1;break}if(o!==null&&o>l){Qt("KeyframeTrack: Out of order keys.",this,a,l,o),t=!1;break}o=l}if(s!==void 0&&ix(s))for(let a=0,l=s.length;a!==l;++a){let c=s[a];if(isNaN(c)){Qt("KeyframeTrack: Value is not a valid number.",this,a,c),t=!1;break}}return t}optimize(){let t=this.times.slice(),e=this.values.slice(),n=this.getValueSize(),s=this.getInterpolation()===zl,r=t.length-1,o=1;for(let a=1;a<r;++a){let l=!1,c=t[a],h=t[a+1];if(c!==h&&(a!==1||c!==t[0]))if(s)l=!0;else{let u=a*n,d=u-n,f=u+n;for(let g=0;g!==n;++g){let v=e[u+g];if(v!==e[d+g]||v!==e[f+g]){l=!0;break}}}if(l){if(a!==o){t[o]=t[a];let u=a*n,d=o*n;for(let f=0;f!==n;++f)e[d+f]=e[u+f]}++o}}if(r>0){t[o]=t[r];for(let a=r*n,l=o*n,c=0;c!==n;++c)e[l+c]=e[a+c];++o}return o!==t.length?(this.times=t.slice(0,o),this.values=e.slice(0,o*n)):(this.times=t,this.values=e),this}clone(){let t=this.times.slice(),e=this.values.slice(),n=this.constructor,s=new n(this.name,t,e);return s.createInterpolant=this.createInterpolant,Fl(this.settings)&&(s.settings={inTangents:this.settings.inTangents.slice(),outTangents:this.settings.outTangents.slice()}),s}};function jp(i,t){for(let e=0,n=i.length;e!==n;e+=2)i[e]+=t}function Qp(i,t){for(let e=0,n=i.length;e!==n;e+=2)i[e]*=t}fi.prototype.ValueTypeName="";fi.prototype.TimeBufferType=Float32Array;fi.prototype.ValueBufferType=Float32Array;fi.prototype.DefaultInterpolation=Kl;var Gs=class extends fi{constructor(t,e,n){super(t,e,n)}};Gs.prototype.ValueTypeName="bool";Gs.prototype.ValueBufferType=Array;Gs.prototype.DefaultInterpolation=ca;Gs.prototype.InterpolantFactoryMethodLinear=void 0;Gs.prototype.InterpolantFactoryMethodSmooth=void 0;var Mc=class extends fi{constructor(t,e,n,s){super(t,e,n,s)}};Mc.prototype.ValueTypeName="color";var bc=class extends fi{constructor(t,e,n,s){super(t,e,n,s)}};bc.prototype.ValueTypeName="number";var wc=class extends Vs{constructor(t,e,n,s){super(t,e,n,s)}interpolate_(t,e,n,s){let r=this.resultBuffer,o=this.sampleValues,a=this.valueSize,l=(n-e)/(s-e),c=t*a;for(let h=c+a;c!==h;c+=4)ni.slerpFlat(r,0,o,c-a,o,c,l);return r}},Ia=class extends fi{constructor(t,e,n,s){super(t,e,n,s)}InterpolantFactoryMethodLinear(t){return new wc(this.times,this.values,this.getValueSize(),t)}};Ia.prototype.ValueTypeName="quaternion";Ia.prototype.InterpolantFactoryMethodSmooth=void 0;var Hs=class extends fi{constructor(t,e,n){super(t,e,n)}};Hs.prototype.ValueTypeName="string";Hs.prototype.ValueBufferType=Array;Hs.prototype.DefaultInterpolation=ca;Hs.prototype.InterpolantFactoryMethodLinear=void 0;Hs.prototype.InterpolantFactoryMethodSmooth=void 0;var Ac=class extends fi{constructor(t,e,n,s){super(t,e,n,s)}};Ac.prototype.ValueTypeName="vector";var Tc=class{constructor(t,e,n){let s=this,r=!1,o=0,a=0,l,c=[];this.onStart=void 0,this.onLoad=t,this.onProgress=e,this.onError=n,this._abortController=null,this.itemStart=function(h){a++,r===!1&&s.onStart!==void 0&&s.onStart(h,o,a),r=!0},this.itemEnd=function(h){o++,s.onProgress!==void 0&&s.onProgress(h,o,a),o===a&&(r=!1,s.onLoad!==void 0&&s.onLoad())},this.itemError=function(h){s.onError!==void 0&&s.onError(h)},this.resolveURL=function(h){return h=h.normalize("NFC"),l?l(h):h},this.setURLModifier=function(h){return l=h,this},this.addHandler=function(h,u){return c.push(h,u),this},this.removeHandler=function(h){let u=c.indexOf(h);return u!==-1&&c.splice(u,2),this},this.getHandler=function(h){for(let u=0,d=c.length;u<d;u+=2){let f=c[u],g=c[u+1];if(f.global&&(f.lastIndex=0),f.test(h))return g}return null},this.abort=function(){return this.abortController.abort(),this._abortController=null,this}}get abortController(){return this._abortController||(this._abortController=new AbortController),this._abortController}},Xm=new Tc,Ec=class{constructor(t){this.manager=t!==void 0?t:Xm,this.crossOrigin="anonymous",this.withCredentials=!1,this.path="",this.resourcePath="",this.requestHeader={},this.priority="auto",this.cache="default",typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}load(){}loadAsync(t,e){let n=this;return new Promise(function(s,r){n.load(t,s,e,r)})}parse(){}setCrossOrigin(t){return this.crossOrigin=t,this}setWithCredentials(t){return this.withCredentials=t,this}setPath(t){return this.path=t,this}setResourcePath(t){return this.resourcePath=t,this}setRequestHeader(t){return this.requestHeader=t,this}setPriority(t){return this.priority=t,this}setCache(t){return this.cache=t,this}abort(){return this}};Ec.DEFAULT_MATERIAL_NAME="__DEFAULT";var vo=class extends Dn{static registerNode(t){this.prototype._lightNode=t}constructor(t,e=1){super(),this.isLight=!0,this.type="Light",this.color=new zt(t),this.intensity=e}copy(t,e){return super.copy(t,e),this.color.copy(t.color),this.intensity=t.intensity,this}toJSON(t){let e=super.toJSON(t);return e.object.color=this.color.getHex(),e.object.intensity=this.intensity,e}},La=class extends vo{constructor(t,e,n){super(t,n),this.isHemisphereLight=!0,this.type="HemisphereLight",this.position.copy(Dn.DEFAULT_UP),this.updateMatrix(),this.groundColor=new zt(e)}copy(t,e){return super.copy(t,e),this.groundColor.copy(t.groundColor),this}toJSON(t){let e=super.toJSON(t);return e.object.groundColor=this.groundColor.getHex(),e}},Ju=new ve,tm=new U,em=new U,Cc=class{constructor(t){this.camera=t,this.intensity=1,this.bias=0,this.biasNode=null,this.normalBias=0,this.radius=1,this.blurSamples=8,this.mapSize=new Gt(512,512),this.mapType=si,this.map=null,this.mapPass=null,this.matrix=new ve,this.autoUpdate=!0,this.needsUpdate=!1,this._frustum=new ks,this._frameExtents=new Gt(1,1),this._viewportCount=1,this._viewports=[new Ce(0,0,1,1)]}getViewportCount(){return this._viewportCount}getCamera(){return this.camera}getFrustum(){return this._frustum}updateMatrices(t){let e=this.camera;tm.setFromMatrixPosition(t.matrixWorld),e.position.copy(tm),em.setFromMatrixPosition(t.target.matrixWorld),e.lookAt(em),e.updateMatrixWorld(),this._updateMatrix(e,this.matrix,this._frustum)}_updateMatrix(t,e,n,s){Ju.multiplyMatrices(t.projectionMatrix,t.matrixWorldInverse),n.setFromProjectionMatrix(Ju,t.coordinateSystem,t.reversedDepth);let r=this._frameExtents,o=s?s.z/r.x:1,a=s?s.w/r.y:1,l=s?s.x/r.x:0,c=s?s.y/r.y:0;t.coordinateSystem===lo||t.reversedDepth?e.set(.5*o,0,0,.5*o+l,0,.5*a,0,.5*a+c,0,0,1,0,0,0,0,1):e.set(.5*o,0,0,.5*o+l,0,.5*a,0,.5*a+c,0,0,.5,.5,0,0,0,1),e.multiply(Ju)}getViewport(t){return this._viewports[t]}getFrameExtents(){return this._frameExtents}dispose(){this.map&&this.map.dispose(),this.mapPass&&this.mapPass.dispose()}copy(t){return this.camera=t.camera.clone(),this.intensity=t.intensity,this.bias=t.bias,this.radius=t.radius,this.autoUpdate=t.autoUpdate,this.needsUpdate=t.needsUpdate,this.normalBias=t.normalBias,this.blurSamples=t.blurSamples,this.mapSize.copy(t.mapSize),this.mapType=t.mapType,this.biasNode=t.biasNode,this}clone(){return new this.constructor().copy(this)}toJSON(){let t={};return t.intensity=this.intensity,t.bias=this.bias,t.normalBias=this.normalBias,t.radius=this.radius,t.blurSamples=this.blurSamples,t.mapSize=this.mapSize.toArray(),t.mapType=this.mapType,t.camera=this.camera.toJSON(!1).object,delete t.camera.matrix,t}},Ol=new U,Bl=new ni,Zi=new U,Da=class extends Dn{constructor(){super(),this.isCamera=!0,this.type="Camera",this.matrixWorldInverse=new ve,this.projectionMatrix=new ve,this.projectionMatrixInverse=new ve,this.coordinateSystem=Si,this._reversedDepth=!1}get reversedDepth(){return this._reversedDepth}copy(t,e){return super.copy(t,e),this.matrixWorldInverse.copy(t.matrixWorldInverse),this.projectionMatrix.copy(t.projectionMatrix),this.projectionMatrixInverse.copy(t.projectionMatrixInverse),this.coordinateSystem=t.coordinateSystem,this}getWorldDirection(t){return super.getWorldDirection(t).negate()}updateMatrixWorld(t){super.updateMatrixWorld(t),this.matrixWorld.decompose(Ol,Bl,Zi),Zi.x===1&&Zi.y===1&&Zi.z===1?this.matrixWorldInverse.copy(this.matrixWorld).invert():this.matrixWorldInverse.compose(Ol,Bl,Zi.set(1,1,1)).invert()}updateWorldMatrix(t,e,n=!1){super.updateWorldMatrix(t,e,n),this.matrixWorld.decompose(Ol,Bl,Zi),Zi.x===1&&Zi.y===1&&Zi.z===1?this.matrixWorldInverse.copy(this.matrixWorld).invert():this.matrixWorldInverse.compose(Ol,Bl,Zi.set(1,1,1)).invert()}clone(){return new this.constructor().copy(this)}},Os=new U,nm=new Gt,im=new Gt,Vn=class extends Da{constructor(t=50,e=1,n=.1,s=2e3){super(),this.isPerspectiveCamera=!0,this.type="PerspectiveCamera",this.fov=t,this.zoom=1,this.near=n,this.far=s,this.focus=10,this.aspect=e,this.view=null,this.filmGauge=35,this.filmOffset=0,this.updateProjectionMatrix()}copy(t,e){return super.copy(t,e),this.fov=t.fov,this.zoom=t.zoom,this.near=t.near,this.far=t.far,this.focus=t.focus,this.aspect=t.aspect,this.view=t.view===null?null:Object.assign({},t.view),this.filmGauge=t.filmGauge,this.filmOffset=t.filmOffset,this}setFocalLength(t){let e=.5*this.getFilmHeight()/t;this.fov=ho*2*Math.atan(e),this.updateProjectionMatrix()}getFocalLength(){let t=Math.tan(ra*.5*this.fov);return .5*this.getFilmHeight()/t}getEffectiveFOV(){return ho*2*Math.atan(Math.tan(ra*.5*this.fov)/this.zoom)}getFilmWidth(){return this.filmGauge*Math.min(this.aspect,1)}getFilmHeight(){return this.filmGauge/Math.max(this.aspect,1)}getViewBounds(t,e,n){Os.set(-1,-1,.5).applyMatrix4(this.projectionMatrixInverse),e.set(Os.x,Os.y).multiplyScalar(-t/Os.z),Os.set(1,1,.5).applyMatrix4(this.projectionMatrixInverse),n.set(Os.x,Os.y).multiplyScalar(-t/Os.z)}getViewSize(t,e){return this.getViewBounds(t,nm,im),e.subVectors(im,nm)}setViewOffset(t,e,n,s,r,o){this.aspect=t/e,this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=t,this.view.fullHeight=e,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=o,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){let t=this.near,e=t*Math.tan(ra*.5*this.fov)/this.zoom,n=2*e,s=this.aspect*n,r=-.5*s,o=this.view;if(this.view!==null&&this.view.enabled){let l=o.fullWidth,c=o.fullHeight;r+=o.offsetX*s/l,e-=o.offsetY*n/c,s*=o.width/l,n*=o.height/c}let a=this.filmOffset;a!==0&&(r+=t*a/this.getFilmWidth()),this.projectionMatrix.makePerspective(r,r+s,e,e-n,t,this.far,this.coordinateSystem,this.reversedDepth),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(t){let e=super.toJSON(t);return e.object.fov=this.fov,e.object.zoom=this.zoom,e.object.near=this.near,e.object.far=this.far,e.object.focus=this.focus,e.object.aspect=this.aspect,this.view!==null&&(e.object.view=Object.assign({},this.view)),e.object.filmGauge=this.filmGauge,e.object.filmOffset=this.filmOffset,e}};var gr=class extends Da{constructor(t=-1,e=1,n=1,s=-1,r=.1,o=2e3){super(),this.isOrthographicCamera=!0,this.type="OrthographicCamera",this.zoom=1,this.view=null,this.left=t,this.right=e,this.top=n,this.bottom=s,this.near=r,this.far=o,this.updateProjectionMatrix()}copy(t,e){return super.copy(t,e),this.left=t.left,this.right=t.right,this.top=t.top,this.bottom=t.bottom,this.near=t.near,this.far=t.far,this.zoom=t.zoom,this.view=t.view===null?null:Object.assign({},t.view),this}setViewOffset(t,e,n,s,r,o){this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=t,this.view.fullHeight=e,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=o,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){let t=(this.right-this.left)/(2*this.zoom),e=(this.top-this.bottom)/(2*this.zoom),n=(this.right+this.left)/2,s=(this.top+this.bottom)/2,r=n-t,o=n+t,a=s+e,l=s-e;if(this.view!==null&&this.view.enabled){let c=(this.right-this.left)/this.view.fullWidth/this.zoom,h=(this.top-this.bottom)/this.view.fullHeight/this.zoom;r+=c*this.view.offsetX,o=r+c*this.view.width,a-=h*this.view.offsetY,l=a-h*this.view.height}this.projectionMatrix.makeOrthographic(r,o,a,l,this.near,this.far,this.coordinateSystem,this.reversedDepth),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(t){let e=super.toJSON(t);return e.object.zoom=this.zoom,e.object.left=this.left,e.object.right=this.right,e.object.top=this.top,e.object.bottom=this.bottom,e.object.near=this.near,e.object.far=this.far,this.view!==null&&(e.object.view=Object.assign({},this.view)),e}},nd=class extends Cc{constructor(){super(new gr(-5,5,5,-5,.5,500)),this.isDirectionalLightShadow=!0}},So=class extends vo{constructor(t,e){super(t,e),this.isDirectionalLight=!0,this.type="DirectionalLight",this.position.copy(Dn.DEFAULT_UP),this.updateMatrix(),this.target=new Dn,this.shadow=new nd}dispose(){super.dispose(),this.shadow.dispose()}copy(t){return super.copy(t),this.target=t.target.clone(),this.shadow=t.shadow.clone(),this}toJSON(t){let e=super.toJSON(t);return e.object.shadow=this.shadow.toJSON(),e.object.target=this.target.uuid,e}},Na=class extends vo{constructor(t,e){super(t,e),this.isAmbientLight=!0,this.type="AmbientLight"}};var Ua=class extends un{constructor(){super(),this.isInstancedBufferGeometry=!0,this.type="InstancedBufferGeometry",this.instanceCount=1/0}copy(t){return super.copy(t),this.instanceCount=t.instanceCount,this}toJSON(){let t=super.toJSON();return t.instanceCount=this.instanceCount,t.isInstancedBufferGeometry=!0,t}};var no=-90,io=1,Mo=class extends Dn{constructor(t,e,n){super(),this.type="CubeCamera",this.renderTarget=n,this.coordinateSystem=null,this.activeMipmapLevel=0;let s=new Vn(no,io,t,e);s.layers=this.layers,this.add(s);let r=new Vn(no,io,t,e);r.layers=this.layers,this.add(r);let o=new Vn(no,io,t,e);o.layers=this.layers,this.add(o);let a=new Vn(no,io,t,e);a.layers=this.layers,this.add(a);let l=new Vn(no,io,t,e);l.layers=this.layers,this.add(l);let c=new Vn(no,io,t,e);c.layers=this.layers,this.add(c)}updateCoordinateSystem(){let t=this.coordinateSystem,e=this.children.concat(),[n,s,r,o,a,l]=e;for(let c of e)this.remove(c);if(t===Si)n.up.set(0,1,0),n.lookAt(1,0,0),s.up.set(0,1,0),s.lookAt(-1,0,0),r.up.set(0,0,-1),r.lookAt(0,1,0),o.up.set(0,0,1),o.lookAt(0,-1,0),a.up.set(0,1,0),a.lookAt(0,0,1),l.up.set(0,1,0),l.lookAt(0,0,-1);else if(t===lo)n.up.set(0,-1,0),n.lookAt(-1,0,0),s.up.set(0,-1,0),s.lookAt(1,0,0),r.up.set(0,0,1),r.lookAt(0,1,0),o.up.set(0,0,-1),o.lookAt(0,-1,0),a.up.set(0,-1,0),a.lookAt(0,0,1),l.up.set(0,-1,0),l.lookAt(0,0,-1);else throw new Error("THREE.CubeCamera.updateCoordinateSystem(): Invalid coordinate system: "+t);for(let c of e)this.add(c),c.updateMatrixWorld()}update(t,e){this.parent===null&&this.updateMatrixWorld();let{renderTarget:n,activeMipmapLevel:s}=this;this.coordinateSystem!==t.coordinateSystem&&(this.coordinateSystem=t.coordinateSystem,this.updateCoordinateSystem());let[r,o,a,l,c,h]=this.children,u=t.getRenderTarget(),d=t.getActiveCubeFace(),f=t.getActiveMipmapLevel(),g=t.xr.enabled;t.xr.enabled=!1;let v=n.texture.mipmapsAutoUpdate;n.texture.mipmapsAutoUpdate=!1;let p=!1;t.isWebGLRenderer===!0?p=t.state.buffers.depth.getReversed():p=t.reversedDepthBuffer,t.setRenderTarget(n,0,s),p&&t.autoClear===!1&&t.clearDepth(),t.render(e,r),t.setRenderTarget(n,1,s),p&&t.autoClear===!1&&t.clearDepth(),t.render(e,o),t.setRenderTarget(n,2,s),p&&t.autoClear===!1&&t.clearDepth(),t.render(e,a),t.setRenderTarget(n,3,s),p&&t.autoClear===!1&&t.clearDepth(),t.render(e,l),t.setRenderTarget(n,4,s),p&&t.autoClear===!1&&t.clearDepth(),t.render(e,c),n.texture.mipmapsAutoUpdate=v,t.setRenderTarget(n,5,s),p&&t.autoClear===!1&&t.clearDepth(),t.render(e,h),t.setRenderTarget(u,d,f),t.xr.enabled=g,n.texture.needsPMREMUpdate=!0}},Rc=class extends Vn{constructor(t=[]){super(),this.isArrayCamera=!0,this.isMultiViewCamera=!1,this.cameras=t,this.perCameraFrustumCulled=!1}};var kd="\\[\\]\\.:\\/",Kx=new RegExp("["+kd+"]","g"),zd="[^"+kd+"]",jx="[^"+kd.replace("\\.","")+"]",Qx=/((?:WC+[\/:])*)/.source.replace("WC",zd),ty=/(WCOD+)?/.source.replace("WCOD",jx),ey=/(?:\.(WC+)(?:\[(.+)\])?)?/.source.replace("WC",zd),ny=/\.(WC+)(?:\[(.+)\])?/.source.replace("WC",zd),iy=new RegExp("^"+Qx+ty+ey+ny+"$"),sy=["material","materials","bones","map"],id=class{constructor(t,e,n){let s=n||We.parseTrackName(e);this._targetGroup=t,this._bindings=t.subscribe_(e,s)}getValue(t,e){this.bind();let n=this._targetGroup.nCachedObjects_,s=this._bindings[n];s!==void 0&&s.getValue(t,e)}setValue(t,e){let n=this._bindings;for(let s=this._targetGroup.nCachedObjects_,r=n.length;s!==r;++s)n[s].setValue(t,e)}bind(){let t=this._bindings;for(let e=this._targetGroup.nCachedObjects_,n=t.length;e!==n;++e)t[e].bind()}unbind(){let t=this._bindings;for(let e=this._targetGroup.nCachedObjects_,n=t.length;e!==n;++e)t[e].unbind()}},We=class i{constructor(t,e,n){this.path=e,this.parsedPath=n||i.parseTrackName(e),this.node=i.findNode(t,this.parsedPath.nodeName),this.rootNode=t,this.getValue=this._getValue_unbound,this.setValue=this._setValue_unbound}static create(t,e,n){return t&&t.isAnimationObjectGroup?new i.Composite(t,e,n):new i(t,e,n)}static sanitizeNodeName(t){return t.replace(/\s/g,"_").replace(Kx,"")}static parseTrackName(t){let e=iy.exec(t);if(e===null)throw new Error("THREE.PropertyBinding: Cannot parse trackName: "+t);let n={nodeName:e[2],objectName:e[3],objectIndex:e[4],propertyName:e[5],propertyIndex:e[6]},s=n.nodeName&&n.nodeName.lastIndexOf(".");if(s!==void 0&&s!==-1){let r=n.nodeName.substring(s+1);sy.indexOf(r)!==-1&&(n.nodeName=n.nodeName.substring(0,s),n.objectName=r)}if(n.propertyName===null||n.propertyName.length===0)throw new Error("THREE.PropertyBinding: can not parse propertyName from trackName: "+t);return n}static findNode(t,e){if(e===void 0||e===""||e==="."||e===-1||e===t.name||e===t.uuid)return t;if(t.skeleton){let n=t.skeleton.getBoneByName(e);if(n!==void 0)return n}if(t.children){let n=function(r){for(let o=0;o<r.length;o++){let a=r[o];if(a.name===e||a.uuid===e)return a;let l=n(a.children);if(l)return l}return null},s=n(t.children);if(s)return s}return null}_getValue_unavailable(){}_setValue_unavailable(){}_getValue_direct(t,e){t[e]=this.targetObject[this.propertyName]}_getValue_array(t,e){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)t[e++]=n[s]}_getValue_arrayElement(t,e){t[e]=this.resolvedProperty[this.propertyIndex]}_getValue_toArray(t,e){this.resolvedProperty.toArray(t,e)}_setValue_direct(t,e){this.targetObject[this.propertyName]=t[e]}_setValue_direct_setNeedsUpdate(t,e){this.targetObject[this.propertyName]=t[e],this.targetObject.needsUpdate=!0}_setValue_direct_setMatrixWorldNeedsUpdate(t,e){this.targetObject[this.propertyName]=t[e],this.targetObject.matrixWorldNeedsUpdate=!0}_setValue_array(t,e){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)n[s]=t[e++]}_setValue_array_setNeedsUpdate(t,e){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)n[s]=t[e++];this.targetObject.needsUpdate=!0}_setValue_array_setMatrixWorldNeedsUpdate(t,e){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)n[s]=t[e++];this.targetObject.matrixWorldNeedsUpdate=!0}_setValue_arrayElement(t,e){this.resolvedProperty[this.propertyIndex]=t[e]}_setValue_arrayElement_setNeedsUpdate(t,e){this.resolvedProperty[this.propertyIndex]=t[e],this.targetObject.needsUpdate=!0}_setValue_arrayElement_setMatrixWorldNeedsUpdate(t,e){this.resolvedProperty[this.propertyIndex]=t[e],this.targetObject.matrixWorldNeedsUpdate=!0}_setValue_fromArray(t,e){this.resolvedProperty.fromArray(t,e)}_setValue_fromArray_setNeedsUpdate(t,e){this.resolvedProperty.fromArray(t,e),this.targetObject.needsUpdate=!0}_setValue_fromArray_setMatrixWorldNeedsUpdate(t,e){this.resolvedProperty.fromArray(t,e),this.targetObject.matrixWorldNeedsUpdate=!0}_getValue_unbound(t,e){this.bind(),this.getValue(t,e)}_setValue_unbound(t,e){this.bind(),this.setValue(t,e)}bind(){let t=this.node,e=this.parsedPath,n=e.objectName,s=e.propertyName,r=e.propertyIndex;if(t||(t=i.findNode(this.rootNode,e.nodeName),this.node=t),this.getValue=this._getValue_unavailable,this.setValue=this._setValue_unavailable,!t){$t("PropertyBinding: No target node found for track: "+this.path+".");return}if(n){let c=e.objectIndex;switch(n){case"materials":if(!t.material){Qt("PropertyBinding: Can not bind to material as node does not have a material.",this);return}if(!t.material.materials){Qt("PropertyBinding: Can not bind to material.materials as node.material does not have a materials array.",this);return}t=t.material.materials;break;case"bones":if(!t.skeleton){Qt("PropertyBinding: Can not bind to bones as node does not have a skeleton.",this);return}t=t.skeleton.bones;for(let h=0;h<t.length;h++)if(t[h].name===c){c=h;break}break;case"map":if("map"in t){t=t.map;break}if(!t.material){Qt("PropertyBinding: Can not bind to material as node does not have a material.",this);return}if(!t.material.map){Qt("PropertyBinding: Can not bind to material.map as node.material does not have a map.",this);return}t=t.material.map;break;default:if(t[n]===void 0){Qt("PropertyBinding: Can not bind to objectName of node undefined.",this);return}t=t[n]}if(c!==void 0){if(t[c]===void 0){Qt("PropertyBinding: Trying to bind to objectIndex of objectName, but is undefined.",this,t);return}t=t[c]}}let o=t[s];if(o===void 0){let c=e.nodeName;Qt("PropertyBinding: Trying to update property for track: "+c+"."+s+" but it wasn't found.",t);return}let a=this.Versioning.None;this.targetObject=t,t.isMaterial===!0?a=this.Versioning.NeedsUpdate:t.isObject3D===!0&&(a=this.Versioning.MatrixWorldNeedsUpdate);let l=this.BindingType.Direct;if(r!==void 0){if(s==="morphTargetInfluences"){if(!t.geometry){Qt("PropertyBinding: Can not bind to morphTargetInfluences because node does not have a geometry.",this);return}if(!t.geometry.morphAttributes){Qt("PropertyBinding: Can not bind to morphTargetInfluences because node does not have a geometry.morphAttributes.",this);return}t.morphTargetDictionary[r]!==void 0&&(r=t.morphTargetDictionary[r])}l=this.BindingType.ArrayElement,this.resolvedProperty=o,this.propertyIndex=r}else o.fromArray!==void 0&&o.toArray!==void 0?(l=this.BindingType.HasFromToArray,this.resolvedProperty=o):Array.isArray(o)?(l=this.BindingType.EntireArray,this.resolvedProperty=o):this.propertyName=s;this.getValue=this.GetterByBindingType[l],this.setValue=this.SetterByBindingTypeAndVersioning[l][a]}unbind(){this.node=null,this.getValue=this._getValue_unbound,this.setValue=this._setValue_unbound}};We.Composite=id;We.prototype.BindingType={Direct:0,EntireArray:1,ArrayElement:2,HasFromToArray:3};We.prototype.Versioning={None:0,NeedsUpdate:1,MatrixWorldNeedsUpdate:2};We.prototype.GetterByBindingType=[We.prototype._getValue_direct,We.prototype._getValue_array,We.prototype._getValue_arrayElement,We.prototype._getValue_toArray];We.prototype.SetterByBindingTypeAndVersioning=[[We.prototype._setValue_direct,We.prototype._setValue_direct_setNeedsUpdate,We.prototype._setValue_direct_setMatrixWorldNeedsUpdate],[We.prototype._setValue_array,We.prototype._setValue_array_setNeedsUpdate,We.prototype._setValue_array_setMatrixWorldNeedsUpdate],[We.prototype._setValue_arrayElement,We.prototype._setValue_arrayElement_setNeedsUpdate,We.prototype._setValue_arrayElement_setMatrixWorldNeedsUpdate],[We.prototype._setValue_fromArray,We.prototype._setValue_fromArray_setNeedsUpdate,We.prototype._setValue_fromArray_setMatrixWorldNeedsUpdate]];var fT=new Float32Array(1);var Ws=class extends ec{constructor(t,e,n=1){super(t,e),this.isInstancedInterleavedBuffer=!0,this.meshPerAttribute=n}copy(t){return super.copy(t),this.meshPerAttribute=t.meshPerAttribute,this}clone(t){let e=super.clone(t);return e.meshPerAttribute=this.meshPerAttribute,e}toJSON(t){let e=super.toJSON(t);return e.isInstancedInterleavedBuffer=!0,e.meshPerAttribute=this.meshPerAttribute,e}};var sm=new ve,Fa=class{constructor(t,e,n=0,s=1/0){this.ray=new mo(t,e),this.near=n,this.far=s,this.camera=null,this.layers=new fo,this.params={Mesh:{},Line:{threshold:1},LOD:{},Points:{threshold:1},Sprite:{}}}set(t,e){this.ray.set(t,e)}setFromCamera(t,e){e.isPerspectiveCamera?(this.ray.origin.setFromMatrixPosition(e.matrixWorld),this.ray.direction.set(t.x,t.y,.5).unproject(e).sub(this.ray.origin).normalize(),this.camera=e):e.isOrthographicCamera?(this.ray.origin.set(t.x,t.y,e.projectionMatrix.elements[14]).unproject(e),this.ray.direction.set(0,0,-1).transformDirection(e.matrixWorld),this.camera=e):Qt("Raycaster: Unsupported camera type: "+e.type)}setFromXRController(t){return sm.identity().extractRotation(t.matrixWorld),this.ray.origin.setFromMatrixPosition(t.matrixWorld),this.ray.direction.set(0,0,-1).applyMatrix4(sm),this}intersectObject(t,e=!0,n=[]){return sd(t,this,n,e),n.sort(rm),n}intersectObjects(t,e=!0,n=[]){for(let s=0,r=t.length;s<r;s++)sd(t[s],this,n,e);return n.sort(rm),n}};function rm(i,t){return i.distance-t.distance}function sd(i,t,e,n){let s=!0;if(i.layers.test(t.layers)&&i.raycast(t,e)===!1&&(s=!1),s===!0&&n===!0){let r=i.children;for(let o=0,a=r.length;o<a;o++)sd(r[o],t,e,!0)}}var rd=class{static{this.prototype.isMatrix2=!0}constructor(t,e,n,s){this.elements=[1,0,0,1],t!==void 0&&this.set(t,e,n,s)}identity(){return this.set(1,0,0,1),this}fromArray(t,e=0){for(let n=0;n<4;n++)this.elements[n]=t[n+e];return this}set(t,e,n,s){let r=this.elements;return r[0]=t,r[2]=e,r[1]=n,r[3]=s,this}};var om=new U,kl=new U,so=new U,ro=new U,Ku=new U,ry=new U,oy=new U,Oa=class{constructor(t=new U,e=new U){this.start=t,this.end=e}set(t,e){return this.start.copy(t),this.end.copy(e),this}copy(t){return this.start.copy(t.start),this.end.copy(t.end),this}getCenter(t){return t.addVectors(this.start,this.end).multiplyScalar(.5)}delta(t){return t.subVectors(this.end,this.start)}distanceSq(){return this.start.distanceToSquared(this.end)}distance(){return this.start.distanceTo(this.end)}at(t,e){return this.delta(e).multiplyScalar(t).add(this.start)}closestPointToPointParameter(t,e){om.subVectors(t,this.start),kl.subVectors(this.end,this.start);let n=kl.dot(kl);if(n===0)return 0;let r=kl.dot(om)/n;return e&&(r=oe(r,0,1)),r}closestPointToPoint(t,e,n){let s=this.closestPointToPointParameter(t,e);return this.delta(n).multiplyScalar(s).add(this.start)}distanceSqToLine3(t,e=ry,n=oy){let s=10000000000000001e-32,r,o,a=this.start,l=t.start,c=this.end,h=t.end;so.subVectors(c,a),ro.subVectors(h,l),Ku.subVectors(a,l);let u=so.dot(so),d=ro.dot(ro),f=ro.dot(Ku);if(u<=s&&d<=s)return e.copy(a),n.copy(l),e.distanceToSquared(n);if(u<=s)r=0,o=f/d,o=oe(o,0,1);else{let g=so.dot(Ku);if(d<=s)o=0,r=oe(-g/u,0,1);else{let v=so.dot(ro),p=u*d-v*v;p!==0?r=oe((v*f-g*d)/p,0,1):r=0,o=(v*r+f)/d,o<0?(o=0,r=oe(-g/u,0,1)):o>1&&(o=1,r=oe((v-g)/u,0,1))}}return e.copy(a).addScaledVector(so,r),n.copy(l).addScaledVector(ro,o),e.distanceToSquared(n)}applyMatrix4(t){return this.start.applyMatrix4(t),this.end.applyMatrix4(t),this}equals(t){return t.start.equals(this.start)&&t.end.equals(this.end)}clone(){return new this.constructor().copy(this)}};function Vd(i,t,e,n){let s=ay(n);switch(e){case wd:return i*t;case Oc:return i*t/s.components*s.byteLength;case Bc:return i*t/s.components*s.byteLength;case qs:return i*t*2/s.components*s.byteLength;case kc:return i*t*2/s.components*s.byteLength;case Ad:return i*t*3/s.components*s.byteLength;case Bi:return i*t*4/s.components*s.byteLength;case zc:return i*t*4/s.components*s.byteLength;case ka:case za:return Math.floor((i+3)/4)*Math.floor((t+3)/4)*8;case Va:case Ga:return Math.floor((i+3)/4)*Math.floor((t+3)/4)*16;case Gc:case Wc:return Math.max(i,16)*Math.max(t,8)/4;case Vc:case Hc:return Math.max(i,8)*Math.max(t,8)/2;case Xc:case qc:case $c:case Zc:return Math.floor((i+3)/4)*Math.floor((t+3)/4)*8;case Yc:case Ha:case Jc:return Math.floor((i+3)/4)*Math.floor((t+3)/4)*16;case Kc:return Math.floor((i+3)/4)*Math.floor((t+3)/4)*16;case jc:return Math.floor((i+4)/5)*Math.floor((t+3)/4)*16;case Qc:return Math.floor((i+4)/5)*Math.floor((t+4)/5)*16;case th:return Math.floor((i+5)/6)*Math.floor((t+4)/5)*16;case eh:return Math.floor((i+5)/6)*Math.floor((t+5)/6)*16;case nh:return Math.floor((i+7)/8)*Math.floor((t+4)/5)*16;case ih:return Math.floor((i+7)/8)*Math.floor((t+5)/6)*16;case sh:return Math.floor((i+7)/8)*Math.floor((t+7)/8)*16;case rh:return Math.floor((i+9)/10)*Math.floor((t+4)/5)*16;case oh:return Math.floor((i+9)/10)*Math.floor((t+5)/6)*16;case ah:return Math.floor((i+9)/10)*Math.floor((t+7)/8)*16;case lh:return Math.floor((i+9)/10)*Math.floor((t+9)/10)*16;case ch:return Math.floor((i+11)/12)*Math.floor((t+9)/10)*16;case hh:return Math.floor((i+11)/12)*Math.floor((t+11)/12)*16;case uh:case dh:case fh:return Math.ceil(i/4)*Math.ceil(t/4)*16;case ph:case mh:return Math.ceil(i/4)*Math.ceil(t/4)*8;case Wa:case gh:return Math.ceil(i/4)*Math.ceil(t/4)*16}throw new Error(`Unable to determine texture byte length for ${e} format.`)}function ay(i){switch(i){case si:case vd:return{byteLength:1,components:1};case To:case Sd:case Oi:return{byteLength:2,components:1};case Uc:case Fc:return{byteLength:2,components:4};case Fi:case Nc:case wi:return{byteLength:4,components:1};case Md:case bd:return{byteLength:4,components:3}}throw new Error(`THREE.TextureUtils: Unknown texture type ${i}.`)}typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("register",{detail:{revision:"187"}}));typeof window<"u"&&(window.__THREE__?$t("WARNING: Multiple instances of Three.js being imported."):window.__THREE__="187");function fg(){let i=null,t=!1,e=null,n=null;function s(r,o){n=i.requestAnimationFrame(s),e(r,o)}return{start:function(){t!==!0&&e!==null&&i!==null&&(n=i.requestAnimationFrame(s),t=!0)},stop:function(){i!==null&&i.cancelAnimationFrame(n),t=!1},setAnimationLoop:function(r){e=r},setContext:function(r){i=r}}}function cy(i){let t=new WeakMap;function e(a,l){let c=a.array,h=a.usage,u=c.byteLength,d=i.createBuffer();i.bindBuffer(l,d),i.bufferData(l,c,h),a.onUploadCallback();let f;if(c instanceof Float32Array)f=i.FLOAT;else if(typeof Float16Array<"u"&&c instanceof Float16Array)f=i.HALF_FLOAT;else if(c instanceof Uint16Array)a.isFloat16BufferAttribute?f=i.HALF_FLOAT:f=i.UNSIGNED_SHORT;else if(c instanceof Int16Array)f=i.SHORT;else if(c instanceof Uint32Array)f=i.UNSIGNED_INT;else if(c instanceof Int32Array)f=i.INT;else if(c instanceof Int8Array)f=i.BYTE;else if(c instanceof Uint8Array)f=i.UNSIGNED_BYTE;else if(c instanceof Uint8ClampedArray)f=i.UNSIGNED_BYTE;else throw new Error("THREE.WebGLAttributes: Unsupported buffer data format: "+c);return{buffer:d,type:f,bytesPerElement:c.BYTES_PER_ELEMENT,version:a.version,size:u}}function n(a,l,c){let h=l.array,u=l.updateRanges;if(i.bindBuffer(c,a),u.length===0)i.bufferSubData(c,0,h);else{u.sort((f,g)=>f.start-g.start);let d=0;for(let f=1;f<u.length;f++){let g=u[d],v=u[f];v.start<=g.start+g.count+1?g.count=Math.max(g.count,v.start+v.count-g.start):(++d,u[d]=v)}u.length=d+1;for(let f=0,g=u.length;f<g;f++){let v=u[f];i.bufferSubData(c,v.start*h.BYTES_PER_ELEMENT,h,v.start,v.count)}l.clearUpdateRanges()}l.onUploadCallback()}function s(a){return a.isInterleavedBufferAttribute&&(a=a.data),t.get(a)}function r(a){a.isInterleavedBufferAttribute&&(a=a.data);let l=t.get(a);l&&(i.deleteBuffer(l.buffer),t.delete(a))}function o(a,l){if(a.isInterleavedBufferAttribute&&(a=a.data),a.isGLBufferAttribute){let h=t.get(a);(!h||h.version<a.version)&&t.set(a,{buffer:a.buffer,type:a.type,bytesPerElement:a.elementSize,version:a.version});return}let c=t.get(a);if(c===void 0)t.set(a,e(a,l));else if(c.version<a.version){if(c.size!==a.array.byteLength)throw new Error("THREE.WebGLAttributes: The size of the buffer attribute's array buffer does not match the original size. Resizing buffer attributes is not supported.");n(c.buffer,a,l),c.version=a.version}}return{get:s,remove:r,update:o}}var hy=`#ifdef USE_ALPHAHASH
	if ( diffuseColor.a < getAlphaHashThreshold( vPosition ) ) discard;
#endif`,uy=`#ifdef USE_ALPHAHASH
	const float ALPHA_HASH_SCALE = 0.05;
	float hash2D( vec2 value ) {
		return fract( 1.0e4 * sin( 17.0 * value.x + 0.1 * value.y ) * ( 0.1 + abs( sin( 13.0 * value.y + value.x ) ) ) );
	}
	float hash3D( vec3 value ) {
		return hash2D( vec2( hash2D( value.xy ), value.z ) );
	}
	float getAlphaHashThreshold( vec3 position ) {
		float maxDeriv = max(
			length( dFdx( position.xyz ) ),
			length( dFdy( position.xyz ) )
		);
		float pixScale = 1.0 / ( ALPHA_HASH_SCALE * maxDeriv );
		vec2 pixScales = vec2(
			exp2( floor( log2( pixScale ) ) ),
			exp2( ceil( log2( pixScale ) ) )
		);
		vec2 alpha = vec2(
			hash3D( floor( pixScales.x * position.xyz ) ),
			hash3D( floor( pixScales.y * position.xyz ) )
		);
		float lerpFactor = fract( log2( pixScale ) );
		float x = ( 1.0 - lerpFactor ) * alpha.x + lerpFactor * alpha.y;
		float a = min( lerpFactor, 1.0 - lerpFactor );
		vec3 cases = vec3(
			x * x / ( 2.0 * a * ( 1.0 - a ) ),
			( x - 0.5 * a ) / ( 1.0 - a ),
			1.0 - ( ( 1.0 - x ) * ( 1.0 - x ) / ( 2.0 * a * ( 1.0 - a ) ) )
		);
		float threshold = ( x < ( 1.0 - a ) )
			? ( ( x < a ) ? cases.x : cases.y )
			: cases.z;
		return clamp( threshold , 1.0e-6, 1.0 );
	}
#endif`,dy=`#ifdef USE_ALPHAMAP
	diffuseColor.a *= texture2D( alphaMap, vAlphaMapUv ).g;
#endif`,fy=`#ifdef USE_ALPHAMAP
	uniform sampler2D alphaMap;
#endif`,py=`#ifdef USE_ALPHATEST
	#ifdef ALPHA_TO_COVERAGE
	diffuseColor.a = smoothstep( alphaTest, alphaTest + fwidth( diffuseColor.a ), diffuseColor.a );
	if ( diffuseColor.a == 0.0 ) discard;
	#else
	if ( diffuseColor.a < alphaTest ) discard;
	#endif
#endif`,my=`#ifdef USE_ALPHATEST
	uniform float alphaTest;
#endif`,gy=`#ifdef USE_AOMAP
	float ambientOcclusion = ( texture2D( aoMap, vAoMapUv ).r - 1.0 ) * aoMapIntensity + 1.0;
	reflectedLight.indirectDiffuse *= ambientOcclusion;
	#if defined( USE_CLEARCOAT ) 
		clearcoatSpecularIndirect *= ambientOcclusion;
	#endif
	#if defined( USE_SHEEN ) 
		sheenSpecularIndirect *= ambientOcclusion;
	#endif
	#if defined( USE_ENVMAP ) && defined( STANDARD )
		float dotNV = saturate( dot( geometryNormal, geometryViewDir ) );
		reflectedLight.indirectSpecular *= computeSpecularOcclusion( dotNV, ambientOcclusion, material.roughness );
	#endif
#endif`,_y=`#ifdef USE_AOMAP
	uniform sampler2D aoMap;
	uniform float aoMapIntensity;
#endif`,xy=`#ifdef USE_BATCHING
	#if ! defined( GL_ANGLE_multi_draw )
	#define gl_DrawID _gl_DrawID
	uniform int _gl_DrawID;
	#endif
	uniform highp sampler2D batchingTexture;
	uniform highp usampler2D batchingIdTexture;
	mat4 getBatchingMatrix( const in float i ) {
		int size = textureSize( batchingTexture, 0 ).x;
		int j = int( i ) * 4;
		int x = j % size;
		int y = j / size;
		vec4 v1 = texelFetch( batchingTexture, ivec2( x, y ), 0 );
		vec4 v2 = texelFetch( batchingTexture, ivec2( x + 1, y ), 0 );
		vec4 v3 = texelFetch( batchingTexture, ivec2( x + 2, y ), 0 );
		vec4 v4 = texelFetch( batchingTexture, ivec2( x + 3, y ), 0 );
		return mat4( v1, v2, v3, v4 );
	}
	float getIndirectIndex( const in int i ) {
		int size = textureSize( batchingIdTexture, 0 ).x;
		int x = i % size;
		int y = i / size;
		return float( texelFetch( batchingIdTexture, ivec2( x, y ), 0 ).r );
	}
#endif
#ifdef USE_BATCHING_COLOR
	uniform sampler2D batchingColorTexture;
	vec4 getBatchingColor( const in float i ) {
		int size = textureSize( batchingColorTexture, 0 ).x;
		int j = int( i );
		int x = j % size;
		int y = j / size;
		return texelFetch( batchingColorTexture, ivec2( x, y ), 0 );
	}
#endif`,yy=`#ifdef USE_BATCHING
	mat4 batchingMatrix = getBatchingMatrix( getIndirectIndex( gl_DrawID ) );
#endif`,vy=`vec3 transformed = vec3( position );
#ifdef USE_ALPHAHASH
	vPosition = vec3( position );
#endif`,Sy=`vec3 objectNormal = vec3( normal );
#ifdef USE_TANGENT
	vec3 objectTangent = vec3( tangent.xyz );
#endif`,My=`float G_BlinnPhong_Implicit( ) {
	return 0.25;
}
float D_BlinnPhong( const in float shininess, const in float dotNH ) {
	return RECIPROCAL_PI * ( shininess * 0.5 + 1.0 ) * pow( dotNH, shininess );
}
vec3 BRDF_BlinnPhong( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in vec3 specularColor, const in float shininess ) {
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNH = saturate( dot( normal, halfDir ) );
	float dotVH = saturate( dot( viewDir, halfDir ) );
	vec3 F = F_Schlick( specularColor, 1.0, dotVH );
	float G = G_BlinnPhong_Implicit( );
	float D = D_BlinnPhong( shininess, dotNH );
	return F * ( G * D );
} // validated`,by=`#ifdef USE_IRIDESCENCE
	const mat3 XYZ_TO_REC709 = mat3(
		 3.2404542, -0.9692660,  0.0556434,
		-1.5371385,  1.8760108, -0.2040259,
		-0.4985314,  0.0415560,  1.0572252
	);
	vec3 Fresnel0ToIor( vec3 fresnel0 ) {
		vec3 sqrtF0 = sqrt( fresnel0 );
		return ( vec3( 1.0 ) + sqrtF0 ) / ( vec3( 1.0 ) - sqrtF0 );
	}
	vec3 IorToFresnel0( vec3 transmittedIor, float incidentIor ) {
		return pow2( ( transmittedIor - vec3( incidentIor ) ) / ( transmittedIor + vec3( incidentIor ) ) );
	}
	float IorToFresnel0( float transmittedIor, float incidentIor ) {
		return pow2( ( transmittedIor - incidentIor ) / ( transmittedIor + incidentIor ));
	}
	vec3 evalSensitivity( float OPD, vec3 shift ) {
		float phase = 2.0 * PI * OPD * 1.0e-9;
		vec3 val = vec3( 5.4856e-13, 4.4201e-13, 5.2481e-13 );
		vec3 pos = vec3( 1.6810e+06, 1.7953e+06, 2.2084e+06 );
		vec3 var = vec3( 4.3278e+09, 9.3046e+09, 6.6121e+09 );
		vec3 xyz = val * sqrt( 2.0 * PI * var ) * cos( pos * phase + shift ) * exp( - pow2( phase ) * var );
		xyz.x += 9.7470e-14 * sqrt( 2.0 * PI * 4.5282e+09 ) * cos( 2.2399e+06 * phase + shift[ 0 ] ) * exp( - 4.5282e+09 * pow2( phase ) );
		xyz /= 1.0685e-7;
		vec3 rgb = XYZ_TO_REC709 * xyz;
		return rgb;
	}
	vec3 evalIridescence( float outsideIOR, float eta2, float cosTheta1, float thinFilmThickness, vec3 baseF0 ) {
		vec3 I;
		float iridescenceIOR = mix( outsideIOR, eta2, smoothstep( 0.0, 0.03, thinFilmThickness ) );
		float sinTheta2Sq = pow2( outsideIOR / iridescenceIOR ) * ( 1.0 - pow2( cosTheta1 ) );
		float cosTheta2Sq = 1.0 - sinTheta2Sq;
		if ( cosTheta2Sq < 0.0 ) {
			return vec3( 1.0 );
		}
		float cosTheta2 = sqrt( cosTheta2Sq );
		float R0 = IorToFresnel0( iridescenceIOR, outsideIOR );
		float R12 = F_Schlick( R0, 1.0, cosTheta1 );
		float T121 = 1.0 - R12;
		float phi12 = 0.0;
		if ( iridescenceIOR < outsideIOR ) phi12 = PI;
		float phi21 = PI - phi12;
		vec3 baseIOR = Fresnel0ToIor( clamp( baseF0, 0.0, 0.9999 ) );		vec3 R1 = IorToFresnel0( baseIOR, iridescenceIOR );
		vec3 R23 = F_Schlick( R1, 1.0, cosTheta2 );
		vec3 phi23 = vec3( 0.0 );
		if ( baseIOR[ 0 ] < iridescenceIOR ) phi23[ 0 ] = PI;
		if ( baseIOR[ 1 ] < iridescenceIOR ) phi23[ 1 ] = PI;
		if ( baseIOR[ 2 ] < iridescenceIOR ) phi23[ 2 ] = PI;
		float OPD = 2.0 * iridescenceIOR * thinFilmThickness * cosTheta2;
		vec3 phi = vec3( phi21 ) + phi23;
		vec3 R123 = clamp( R12 * R23, 1e-5, 0.9999 );
		vec3 r123 = sqrt( R123 );
		vec3 Rs = pow2( T121 ) * R23 / ( vec3( 1.0 ) - R123 );
		vec3 C0 = R12 + Rs;
		I = C0;
		vec3 Cm = Rs - T121;
		for ( int m = 1; m <= 2; ++ m ) {
			Cm *= r123;
			vec3 Sm = 2.0 * evalSensitivity( float( m ) * OPD, float( m ) * phi );
			I += Cm * Sm;
		}
		return max( I, vec3( 0.0 ) );
	}
#endif`,wy=`#ifdef USE_BUMPMAP
	uniform sampler2D bumpMap;
	uniform float bumpScale;
	vec2 dHdxy_fwd() {
		vec2 dSTdx = dFdx( vBumpMapUv );
		vec2 dSTdy = dFdy( vBumpMapUv );
		float Hll = bumpScale * texture2D( bumpMap, vBumpMapUv ).x;
		float dBx = bumpScale * texture2D( bumpMap, vBumpMapUv + dSTdx ).x - Hll;
		float dBy = bumpScale * texture2D( bumpMap, vBumpMapUv + dSTdy ).x - Hll;
		return vec2( dBx, dBy );
	}
	vec3 perturbNormalArb( vec3 surf_pos, vec3 surf_norm, vec2 dHdxy, float faceDirection ) {
		vec3 vSigmaX = normalize( dFdx( surf_pos.xyz ) );
		vec3 vSigmaY = normalize( dFdy( surf_pos.xyz ) );
		vec3 vN = surf_norm;
		vec3 R1 = cross( vSigmaY, vN );
		vec3 R2 = cross( vN, vSigmaX );
		float fDet = dot( vSigmaX, R1 ) * faceDirection;
		vec3 vGrad = sign( fDet ) * ( dHdxy.x * R1 + dHdxy.y * R2 );
		return normalize( abs( fDet ) * surf_norm - vGrad );
	}
#endif`,Ay=`#if NUM_CLIPPING_PLANES > 0
	vec4 plane;
	#ifdef ALPHA_TO_COVERAGE
		float distanceToPlane, distanceGradient;
		float clipOpacity = 1.0;
		#pragma unroll_loop_start
		for ( int i = 0; i < UNION_CLIPPING_PLANES; i ++ ) {
			plane = clippingPlanes[ i ];
			distanceToPlane = - dot( vClipPosition, plane.xyz ) + plane.w;
			distanceGradient = fwidth( distanceToPlane ) / 2.0;
			clipOpacity *= smoothstep( - distanceGradient, distanceGradient, distanceToPlane );
			if ( clipOpacity == 0.0 ) discard;
		}
		#pragma unroll_loop_end
		#if UNION_CLIPPING_PLANES < NUM_CLIPPING_PLANES
			float unionClipOpacity = 1.0;
			#pragma unroll_loop_start
			for ( int i = UNION_CLIPPING_PLANES; i < NUM_CLIPPING_PLANES; i ++ ) {
				plane = clippingPlanes[ i ];
				distanceToPlane = - dot( vClipPosition, plane.xyz ) + plane.w;
				distanceGradient = fwidth( distanceToPlane ) / 2.0;
				unionClipOpacity *= 1.0 - smoothstep( - distanceGradient, distanceGradient, distanceToPlane );
			}
			#pragma unroll_loop_end
			clipOpacity *= 1.0 - unionClipOpacity;
		#endif
		diffuseColor.a *= clipOpacity;
		if ( diffuseColor.a == 0.0 ) discard;
	#else
		#pragma unroll_loop_start
		for ( int i = 0; i < UNION_CLIPPING_PLANES; i ++ ) {
			plane = clippingPlanes[ i ];
			if ( dot( vClipPosition, plane.xyz ) > plane.w ) discard;
		}
		#pragma unroll_loop_end
		#if UNION_CLIPPING_PLANES < NUM_CLIPPING_PLANES
			bool clipped = true;
			#pragma unroll_loop_start
			for ( int i = UNION_CLIPPING_PLANES; i < NUM_CLIPPING_PLANES; i ++ ) {
				plane = clippingPlanes[ i ];
				clipped = ( dot( vClipPosition, plane.xyz ) > plane.w ) && clipped;
			}
			#pragma unroll_loop_end
			if ( clipped ) discard;
		#endif
	#endif
#endif`,Ty=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
	uniform vec4 clippingPlanes[ NUM_CLIPPING_PLANES ];
#endif`,Ey=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
#endif`,Cy=`#if NUM_CLIPPING_PLANES > 0
	vClipPosition = - mvPosition.xyz;
#endif`,Ry=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA )
	diffuseColor *= vColor;
#endif`,Py=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA )
	varying vec4 vColor;
#endif`,Iy=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA ) || defined( USE_INSTANCING_COLOR ) || defined( USE_BATCHING_COLOR )
	varying vec4 vColor;
#endif`,Ly=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA ) || defined( USE_INSTANCING_COLOR ) || defined( USE_BATCHING_COLOR )
	vColor = vec4( 1.0 );
#endif
#ifdef USE_COLOR_ALPHA
	vColor *= color;
#elif defined( USE_COLOR )
	vColor.rgb *= color;
#endif
#ifdef USE_INSTANCING_COLOR
	vColor.rgb *= instanceColor.rgb;
#endif
#ifdef USE_BATCHING_COLOR
	vColor *= getBatchingColor( getIndirectIndex( gl_DrawID ) );
#endif`,Dy=`#define PI 3.141592653589793
#define PI2 6.283185307179586
#define PI_HALF 1.5707963267948966
#define RECIPROCAL_PI 0.3183098861837907
#define RECIPROCAL_PI2 0.15915494309189535
#define EPSILON 1e-6
#ifndef saturate
#define saturate( a ) clamp( a, 0.0, 1.0 )
#endif
#define whiteComplement( a ) ( 1.0 - saturate( a ) )
float pow2( const in float x ) { return x*x; }
vec3 pow2( const in vec3 x ) { return x*x; }
float pow3( const in float x ) { return x*x*x; }
float pow4( const in float x ) { float x2 = x*x; return x2*x2; }
float max3( const in vec3 v ) { return max( max( v.x, v.y ), v.z ); }
float average( const in vec3 v ) { return dot( v, vec3( 0.3333333 ) ); }
highp float rand( const in vec2 uv ) {
	const highp float a = 12.9898, b = 78.233, c = 43758.5453;
	highp float dt = dot( uv.xy, vec2( a,b ) ), sn = mod( dt, PI );
	return fract( sin( sn ) * c );
}
#ifdef HIGH_PRECISION
	float precisionSafeLength( vec3 v ) { return length( v ); }
#else
	float precisionSafeLength( vec3 v ) {
		float maxComponent = max3( abs( v ) );
		return length( v / maxComponent ) * maxComponent;
	}
#endif
struct IncidentLight {
	vec3 color;
	vec3 direction;
	bool visible;
};
struct ReflectedLight {
	vec3 directDiffuse;
	vec3 directSpecular;
	vec3 indirectDiffuse;
	vec3 indirectSpecular;
};
#ifdef USE_ALPHAHASH
	varying vec3 vPosition;
#endif
vec3 transformDirection( in vec3 dir, in mat4 matrix ) {
	return normalize( ( matrix * vec4( dir, 0.0 ) ).xyz );
}
#define inverseTransformDirection transformDirectionByInverseViewMatrix
vec3 transformNormalByInverseViewMatrix( in vec3 normal, in mat4 viewMatrix ) {
	return normalize( ( vec4( normal, 0.0 ) * viewMatrix ).xyz );
}
vec3 transformDirectionByInverseViewMatrix( in vec3 dir, in mat4 viewMatrix ) {
	return normalize( ( vec4( dir, 0.0 ) * viewMatrix ).xyz );
}
bool isPerspectiveMatrix( mat4 m ) {
	return m[ 2 ][ 3 ] == - 1.0;
}
vec2 equirectUv( in vec3 dir ) {
	float u = atan( dir.z, dir.x ) * RECIPROCAL_PI2 + 0.5;
	float v = asin( clamp( dir.y, - 1.0, 1.0 ) ) * RECIPROCAL_PI + 0.5;
	return vec2( u, v );
}
vec3 BRDF_Lambert( const in vec3 diffuseColor ) {
	return RECIPROCAL_PI * diffuseColor;
}
vec3 F_Schlick( const in vec3 f0, const in float f90, const in float dotVH ) {
	float fresnel = exp2( ( - 5.55473 * dotVH - 6.98316 ) * dotVH );
	return f0 * ( 1.0 - fresnel ) + ( f90 * fresnel );
}
float F_Schlick( const in float f0, const in float f90, const in float dotVH ) {
	float fresnel = exp2( ( - 5.55473 * dotVH - 6.98316 ) * dotVH );
	return f0 * ( 1.0 - fresnel ) + ( f90 * fresnel );
} // validated`,Ny=`vec3 transformedNormal = objectNormal;
#ifdef USE_TANGENT
	vec3 transformedTangent = objectTangent;
#endif
#ifdef USE_BATCHING
	mat3 bm = mat3( batchingMatrix );
	transformedNormal /= vec3( dot( bm[ 0 ], bm[ 0 ] ), dot( bm[ 1 ], bm[ 1 ] ), dot( bm[ 2 ], bm[ 2 ] ) );
	transformedNormal = bm * transformedNormal;
	#ifdef USE_TANGENT
		transformedTangent = bm * transformedTangent;
	#endif
#endif
#ifdef USE_INSTANCING
	mat3 im = mat3( instanceMatrix );
	transformedNormal /= vec3( dot( im[ 0 ], im[ 0 ] ), dot( im[ 1 ], im[ 1 ] ), dot( im[ 2 ], im[ 2 ] ) );
	transformedNormal = im * transformedNormal;
	#ifdef USE_TANGENT
		transformedTangent = im * transformedTangent;
	#endif
#endif
transformedNormal = normalMatrix * transformedNormal;
#ifdef FLIP_SIDED
	transformedNormal = - transformedNormal;
#endif
#ifdef USE_TANGENT
	transformedTangent = ( modelViewMatrix * vec4( transformedTangent, 0.0 ) ).xyz;
#endif`,Uy=`#ifdef USE_DISPLACEMENTMAP
	uniform sampler2D displacementMap;
	uniform float displacementScale;
	uniform float displacementBias;
#endif`,Fy=`#ifdef USE_DISPLACEMENTMAP
	transformed += normalize( objectNormal ) * ( texture2D( displacementMap, vDisplacementMapUv ).x * displacementScale + displacementBias );
#endif`,Oy=`#ifdef USE_EMISSIVEMAP
	vec4 emissiveColor = texture2D( emissiveMap, vEmissiveMapUv );
	#ifdef DECODE_VIDEO_TEXTURE_EMISSIVE
		emissiveColor = sRGBTransferEOTF( emissiveColor );
	#endif
	totalEmissiveRadiance *= emissiveColor.rgb;
#endif`,By=`#ifdef USE_EMISSIVEMAP
	uniform sampler2D emissiveMap;
#endif`,ky="gl_FragColor = linearToOutputTexel( gl_FragColor );",zy=`vec4 LinearTransferOETF( in vec4 value ) {
	return value;
}
vec4 sRGBTransferEOTF( in vec4 value ) {
	return vec4( mix( pow( value.rgb * 0.9478672986 + vec3( 0.0521327014 ), vec3( 2.4 ) ), value.rgb * 0.0773993808, vec3( lessThanEqual( value.rgb, vec3( 0.04045 ) ) ) ), value.a );
}
vec4 sRGBTransferOETF( in vec4 value ) {
	return vec4( mix( pow( value.rgb, vec3( 0.41666 ) ) * 1.055 - vec3( 0.055 ), value.rgb * 12.92, vec3( lessThanEqual( value.rgb, vec3( 0.0031308 ) ) ) ), value.a );
}`,Vy=`#ifdef USE_ENVMAP
	#ifdef ENV_WORLDPOS
		vec3 cameraToFrag;
		if ( isOrthographic ) {
			cameraToFrag = normalize( vec3( - viewMatrix[ 0 ][ 2 ], - viewMatrix[ 1 ][ 2 ], - viewMatrix[ 2 ][ 2 ] ) );
		} else {
			cameraToFrag = normalize( vWorldPosition - cameraPosition );
		}
		vec3 worldNormal = transformNormalByInverseViewMatrix( normal, viewMatrix );
		#ifdef ENVMAP_MODE_REFLECTION
			vec3 reflectVec = reflect( cameraToFrag, worldNormal );
		#else
			vec3 reflectVec = refract( cameraToFrag, worldNormal, refractionRatio );
		#endif
	#else
		vec3 reflectVec = vReflect;
	#endif
	#ifdef ENVMAP_TYPE_CUBE
		vec4 envColor = textureCube( envMap, envMapRotation * reflectVec );
		#ifdef ENVMAP_BLENDING_MULTIPLY
			outgoingLight = mix( outgoingLight, outgoingLight * envColor.xyz, specularStrength * reflectivity );
		#elif defined( ENVMAP_BLENDING_MIX )
			outgoingLight = mix( outgoingLight, envColor.xyz, specularStrength * reflectivity );
		#elif defined( ENVMAP_BLENDING_ADD )
			outgoingLight += envColor.xyz * specularStrength * reflectivity;
		#endif
	#endif
#endif`,Gy=`#ifdef USE_ENVMAP
	uniform float envMapIntensity;
	uniform mat3 envMapRotation;
	uniform samplerCube envMap;
	#ifdef ENVMAP_TYPE_PMREM
		float roughnessToMip( const in float roughness ) {
			float r = clamp( roughness, 0.0, 1.0 );
			return ENVMAP_MAX_LOD * r * ( 2.0 - r );
		}
	#endif
#endif`,Hy=`#ifdef USE_ENVMAP
	uniform float reflectivity;
	#if defined( USE_BUMPMAP ) || defined( USE_NORMALMAP ) || defined( PHONG ) || defined( LAMBERT )
		#define ENV_WORLDPOS
	#endif
	#ifdef ENV_WORLDPOS
		varying vec3 vWorldPosition;
		uniform float refractionRatio;
	#else
		varying vec3 vReflect;
	#endif
#endif`,Wy=`#ifdef USE_ENVMAP
	#if defined( USE_BUMPMAP ) || defined( USE_NORMALMAP ) || defined( PHONG ) || defined( LAMBERT )
		#define ENV_WORLDPOS
	#endif
	#ifdef ENV_WORLDPOS
		
		varying vec3 vWorldPosition;
	#else
		varying vec3 vReflect;
		uniform float refractionRatio;
	#endif
#endif`,Xy=`#ifdef USE_ENVMAP
	#ifdef ENV_WORLDPOS
		vWorldPosition = worldPosition.xyz;
	#else
		vec3 cameraToVertex;
		if ( isOrthographic ) {
			cameraToVertex = normalize( vec3( - viewMatrix[ 0 ][ 2 ], - viewMatrix[ 1 ][ 2 ], - viewMatrix[ 2 ][ 2 ] ) );
		} else {
			cameraToVertex = normalize( worldPosition.xyz - cameraPosition );
		}
		vec3 worldNormal = transformNormalByInverseViewMatrix( transformedNormal, viewMatrix );
		#ifdef ENVMAP_MODE_REFLECTION
			vReflect = reflect( cameraToVertex, worldNormal );
		#else
			vReflect = refract( cameraToVertex, worldNormal, refractionRatio );
		#endif
	#endif
#endif`,qy=`#ifdef USE_FOG
	vFogDepth = - mvPosition.z;
#endif`,Yy=`#ifdef USE_FOG
	varying float vFogDepth;
#endif`,$y=`#ifdef USE_FOG
	#ifdef FOG_EXP2
		float fogFactor = 1.0 - exp( - fogDensity * fogDensity * vFogDepth * vFogDepth );
	#else
		float fogFactor = smoothstep( fogNear, fogFar, vFogDepth );
	#endif
	gl_FragColor.rgb = mix( gl_FragColor.rgb, fogColor, fogFactor );
#endif`,Zy=`#ifdef USE_FOG
	uniform vec3 fogColor;
	varying float vFogDepth;
	#ifdef FOG_EXP2
		uniform float fogDensity;
	#else
		uniform float fogNear;
		uniform float fogFar;
	#endif
#endif`,Jy=`#ifdef USE_GRADIENTMAP
	uniform sampler2D gradientMap;
#endif
vec3 getGradientIrradiance( vec3 normal, vec3 lightDirection ) {
	float dotNL = dot( normal, lightDirection );
	vec2 coord = vec2( dotNL * 0.5 + 0.5, 0.0 );
	#ifdef USE_GRADIENTMAP
		return vec3( texture2D( gradientMap, coord ).r );
	#else
		vec2 fw = fwidth( coord ) * 0.5;
		return mix( vec3( 0.7 ), vec3( 1.0 ), smoothstep( 0.7 - fw.x, 0.7 + fw.x, coord.x ) );
	#endif
}`,Ky=`#ifdef USE_LIGHTMAP
	uniform sampler2D lightMap;
	uniform float lightMapIntensity;
#endif`,jy=`LambertMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularStrength = specularStrength;`,Qy=`varying vec3 vViewPosition;
struct LambertMaterial {
	vec3 diffuseColor;
	float specularStrength;
};
void RE_Direct_Lambert( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in LambertMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Lambert( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in LambertMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_Lambert
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Lambert`,tv=`uniform bool receiveShadow;
uniform vec3 ambientLightColor;
#if defined( USE_LIGHT_PROBES )
	uniform vec3 lightProbe[ 9 ];
#endif
vec3 shGetIrradianceAt( in vec3 normal, in vec3 shCoefficients[ 9 ] ) {
	float x = normal.x, y = normal.y, z = normal.z;
	vec3 result = shCoefficients[ 0 ] * 0.886227;
	result += shCoefficients[ 1 ] * 2.0 * 0.511664 * y;
	result += shCoefficients[ 2 ] * 2.0 * 0.511664 * z;
	result += shCoefficients[ 3 ] * 2.0 * 0.511664 * x;
	result += shCoefficients[ 4 ] * 2.0 * 0.429043 * x * y;
	result += shCoefficients[ 5 ] * 2.0 * 0.429043 * y * z;
	result += shCoefficients[ 6 ] * ( 0.743125 * z * z - 0.247708 );
	result += shCoefficients[ 7 ] * 2.0 * 0.429043 * x * z;
	result += shCoefficients[ 8 ] * 0.429043 * ( x * x - y * y );
	return result;
}
vec3 getLightProbeIrradiance( const in vec3 lightProbe[ 9 ], const in vec3 normal ) {
	vec3 worldNormal = transformNormalByInverseViewMatrix( normal, viewMatrix );
	vec3 irradiance = shGetIrradianceAt( worldNormal, lightProbe );
	return irradiance;
}
vec3 getAmbientLightIrradiance( const in vec3 ambientLightColor ) {
	vec3 irradiance = ambientLightColor;
	return irradiance;
}
float getDistanceAttenuation( const in float lightDistance, const in float cutoffDistance, const in float decayExponent ) {
	float distanceFalloff = 1.0 / max( pow( lightDistance, decayExponent ), 0.01 );
	if ( cutoffDistance > 0.0 ) {
		distanceFalloff *= pow2( saturate( 1.0 - pow4( lightDistance / cutoffDistance ) ) );
	}
	return distanceFalloff;
}
float getSpotAttenuation( const in float coneCosine, const in float penumbraCosine, const in float angleCosine ) {
	return smoothstep( coneCosine, penumbraCosine, angleCosine );
}
#if NUM_SUN_LIGHTS > 0
	struct SunLight {
		vec3 direction;
		vec3 color;
	};
	uniform SunLight sunLights[ NUM_SUN_LIGHTS ];
	void getSunLightInfo( const in SunLight sunLight, out IncidentLight light ) {
		light.color = sunLight.color;
		light.direction = sunLight.direction;
		light.visible = true;
	}
#endif
#if NUM_DIR_LIGHTS > 0
	struct DirectionalLight {
		vec3 direction;
		vec3 color;
	};
	uniform DirectionalLight directionalLights[ NUM_DIR_LIGHTS ];
	void getDirectionalLightInfo( const in DirectionalLight directionalLight, out IncidentLight light ) {
		light.color = directionalLight.color;
		light.direction = directionalLight.direction;
		light.visible = true;
	}
#endif
#if NUM_POINT_LIGHTS > 0
	struct PointLight {
		vec3 position;
		vec3 color;
		float distance;
		float decay;
	};
	uniform PointLight pointLights[ NUM_POINT_LIGHTS ];
	void getPointLightInfo( const in PointLight pointLight, const in vec3 geometryPosition, out IncidentLight light ) {
		vec3 lVector = pointLight.position - geometryPosition;
		light.direction = normalize( lVector );
		float lightDistance = length( lVector );
		light.color = pointLight.color;
		light.color *= getDistanceAttenuation( lightDistance, pointLight.distance, pointLight.decay );
		light.visible = ( light.color != vec3( 0.0 ) );
	}
#endif
#if NUM_SPOT_LIGHTS > 0
	struct SpotLight {
		vec3 position;
		vec3 direction;
		vec3 color;
		float distance;
		float decay;
		float coneCos;
		float penumbraCos;
	};
	uniform SpotLight spotLights[ NUM_SPOT_LIGHTS ];
	void getSpotLightInfo( const in SpotLight spotLight, const in vec3 geometryPosition, out IncidentLight light ) {
		vec3 lVector = spotLight.position - geometryPosition;
		light.direction = normalize( lVector );
		float angleCos = dot( light.direction, spotLight.direction );
		float spotAttenuation = getSpotAttenuation( spotLight.coneCos, spotLight.penumbraCos, angleCos );
		if ( spotAttenuation > 0.0 ) {
			float lightDistance = length( lVector );
			light.color = spotLight.color * spotAttenuation;
			light.color *= getDistanceAttenuation( lightDistance, spotLight.distance, spotLight.decay );
			light.visible = ( light.color != vec3( 0.0 ) );
		} else {
			light.color = vec3( 0.0 );
			light.visible = false;
		}
	}
#endif
#if NUM_RECT_AREA_LIGHTS > 0
	struct RectAreaLight {
		vec3 color;
		vec3 position;
		vec3 halfWidth;
		vec3 halfHeight;
	};
	uniform sampler2D ltc_1;	uniform sampler2D ltc_2;
	uniform RectAreaLight rectAreaLights[ NUM_RECT_AREA_LIGHTS ];
#endif
#if NUM_HEMI_LIGHTS > 0
	struct HemisphereLight {
		vec3 direction;
		vec3 skyColor;
		vec3 groundColor;
	};
	uniform HemisphereLight hemisphereLights[ NUM_HEMI_LIGHTS ];
	vec3 getHemisphereLightIrradiance( const in HemisphereLight hemiLight, const in vec3 normal ) {
		float dotNL = dot( normal, hemiLight.direction );
		float hemiDiffuseWeight = 0.5 * dotNL + 0.5;
		vec3 irradiance = mix( hemiLight.groundColor, hemiLight.skyColor, hemiDiffuseWeight );
		return irradiance;
	}
#endif
#include <lightprobes_pars_fragment>`,ev=`#ifdef USE_ENVMAP
	vec3 getIBLIrradiance( const in vec3 normal ) {
		#ifdef ENVMAP_TYPE_PMREM
			vec3 worldNormal = transformNormalByInverseViewMatrix( normal, viewMatrix );
			vec4 envMapColor = textureLod( envMap, envMapRotation * worldNormal, ENVMAP_MAX_LOD );
			return PI * envMapColor.rgb * envMapIntensity;
		#else
			return vec3( 0.0 );
		#endif
	}
	vec3 getIBLRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness ) {
		#ifdef ENVMAP_TYPE_PMREM
			vec3 reflectVec = reflect( - viewDir, normal );
			reflectVec = normalize( mix( reflectVec, normal, pow4( roughness ) ) );
			reflectVec = transformDirectionByInverseViewMatrix( reflectVec, viewMatrix );
			vec4 envMapColor = textureLod( envMap, envMapRotation * reflectVec, roughnessToMip( roughness ) );
			return envMapColor.rgb * envMapIntensity;
		#else
			return vec3( 0.0 );
		#endif
	}
	#ifdef USE_RETROREFLECTION
		vec3 getIBLRetroRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness ) {
			#ifdef ENVMAP_TYPE_PMREM
				vec3 retroVec = normalize( mix( viewDir, normal, pow4( roughness ) ) );
				retroVec = transformDirectionByInverseViewMatrix( retroVec, viewMatrix );
				vec4 envMapColor = textureLod( envMap, envMapRotation * retroVec, roughnessToMip( roughness ) );
				return envMapColor.rgb * envMapIntensity;
			#else
				return vec3( 0.0 );
			#endif
		}
	#endif
	#ifdef USE_ANISOTROPY
		vec3 getIBLAnisotropyRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness, const in vec3 bitangent, const in float anisotropy ) {
			#ifdef ENVMAP_TYPE_PMREM
				vec3 bentNormal = cross( bitangent, viewDir );
				bentNormal = normalize( cross( bentNormal, bitangent ) );
				bentNormal = normalize( mix( bentNormal, normal, pow2( pow2( 1.0 - anisotropy * ( 1.0 - roughness ) ) ) ) );
				return getIBLRadiance( viewDir, bentNormal, roughness );
			#else
				return vec3( 0.0 );
			#endif
		}
		#ifdef USE_RETROREFLECTION
			vec3 getIBLAnisotropyRetroRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness, const in vec3 bitangent, const in float anisotropy ) {
				#ifdef ENVMAP_TYPE_PMREM
					vec3 bentNormal = cross( bitangent, viewDir );
					bentNormal = normalize( cross( bentNormal, bitangent ) );
					bentNormal = normalize( mix( bentNormal, normal, pow2( pow2( 1.0 - anisotropy * ( 1.0 - roughness ) ) ) ) );
					return getIBLRetroRadiance( viewDir, bentNormal, roughness );
				#else
					return vec3( 0.0 );
				#endif
			}
		#endif
	#endif
#endif`,nv=`ToonMaterial material;
material.diffuseColor = diffuseColor.rgb;`,iv=`varying vec3 vViewPosition;
struct ToonMaterial {
	vec3 diffuseColor;
};
void RE_Direct_Toon( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in ToonMaterial material, inout ReflectedLight reflectedLight ) {
	vec3 irradiance = getGradientIrradiance( geometryNormal, directLight.direction ) * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Toon( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in ToonMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_Toon
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Toon`,sv=`BlinnPhongMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularColor = specular;
material.specularShininess = shininess;
material.specularStrength = specularStrength;`,rv=`varying vec3 vViewPosition;
struct BlinnPhongMaterial {
	vec3 diffuseColor;
	vec3 specularColor;
	float specularShininess;
	float specularStrength;
};
void RE_Direct_BlinnPhong( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in BlinnPhongMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
	reflectedLight.directSpecular += irradiance * BRDF_BlinnPhong( directLight.direction, geometryViewDir, geometryNormal, material.specularColor, material.specularShininess ) * material.specularStrength;
}
void RE_IndirectDiffuse_BlinnPhong( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in BlinnPhongMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_BlinnPhong
#define RE_IndirectDiffuse		RE_IndirectDiffuse_BlinnPhong`,ov=`PhysicalMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.diffuseContribution = diffuseColor.rgb * ( 1.0 - metalnessFactor );
material.metalness = metalnessFactor;
vec3 dxy = max( abs( dFdx( nonPerturbedNormal ) ), abs( dFdy( nonPerturbedNormal ) ) );
float geometryRoughness = max( max( dxy.x, dxy.y ), dxy.z );
material.roughness = max( roughnessFactor, 0.045 );
material.roughness += geometryRoughness;
material.roughness = min( material.roughness, 1.0 );
#ifdef USE_DIFFUSE_ROUGHNESS
	float diffuseRoughnessFactor = diffuseRoughness;
	#ifdef USE_DIFFUSE_ROUGHNESSMAP
		diffuseRoughnessFactor *= texture2D( diffuseRoughnessMap, vDiffuseRoughnessMapUv ).r;
	#endif
	material.diffuseRoughness = saturate( diffuseRoughnessFactor );
#endif
#ifdef IOR
	material.ior = ior;
	#ifdef USE_SPECULAR
		float specularIntensityFactor = specularIntensity;
		vec3 specularColorFactor = specularColor;
		#ifdef USE_SPECULAR_COLORMAP
			specularColorFactor *= texture2D( specularColorMap, vSpecularColorMapUv ).rgb;
		#endif
		#ifdef USE_SPECULAR_INTENSITYMAP
			specularIntensityFactor *= texture2D( specularIntensityMap, vSpecularIntensityMapUv ).a;
		#endif
		material.specularF90 = mix( specularIntensityFactor, 1.0, metalnessFactor );
	#else
		float specularIntensityFactor = 1.0;
		vec3 specularColorFactor = vec3( 1.0 );
		material.specularF90 = 1.0;
	#endif
	material.specularColor = min( pow2( ( material.ior - 1.0 ) / ( material.ior + 1.0 ) ) * specularColorFactor, vec3( 1.0 ) ) * specularIntensityFactor;
	material.specularColorBlended = mix( material.specularColor, diffuseColor.rgb, metalnessFactor );
#else
	material.specularColor = vec3( 0.04 );
	material.specularColorBlended = mix( material.specularColor, diffuseColor.rgb, metalnessFactor );
	material.specularF90 = 1.0;
#endif
#ifdef USE_CLEARCOAT
	material.clearcoat = clearcoat;
	material.clearcoatRoughness = clearcoatRoughness;
	material.clearcoatF0 = vec3( 0.04 );
	material.clearcoatF90 = 1.0;
	#ifdef USE_CLEARCOATMAP
		material.clearcoat *= texture2D( clearcoatMap, vClearcoatMapUv ).x;
	#endif
	#ifdef USE_CLEARCOAT_ROUGHNESSMAP
		material.clearcoatRoughness *= texture2D( clearcoatRoughnessMap, vClearcoatRoughnessMapUv ).y;
	#endif
	material.clearcoat = saturate( material.clearcoat );	material.clearcoatRoughness = max( material.clearcoatRoughness, 0.045 );
	material.clearcoatRoughness += geometryRoughness;
	material.clearcoatRoughness = min( material.clearcoatRoughness, 1.0 );
#endif
#ifdef USE_DISPERSION
	material.dispersion = dispersion;
#endif
#ifdef USE_RETROREFLECTION
	material.retroreflectivity = retroreflectivity;
#endif
#ifdef USE_IRIDESCENCE
	material.iridescence = iridescence;
	material.iridescenceIOR = iridescenceIOR;
	#ifdef USE_IRIDESCENCEMAP
		material.iridescence *= texture2D( iridescenceMap, vIridescenceMapUv ).r;
	#endif
	#ifdef USE_IRIDESCENCE_THICKNESSMAP
		material.iridescenceThickness = (iridescenceThicknessMaximum - iridescenceThicknessMinimum) * texture2D( iridescenceThicknessMap, vIridescenceThicknessMapUv ).g + iridescenceThicknessMinimum;
	#else
		material.iridescenceThickness = iridescenceThicknessMaximum;
	#endif
#endif
#ifdef USE_SHEEN
	material.sheenColor = sheenColor;
	#ifdef USE_SHEEN_COLORMAP
		material.sheenColor *= texture2D( sheenColorMap, vSheenColorMapUv ).rgb;
	#endif
	material.sheenRoughness = clamp( sheenRoughness, 0.0001, 1.0 );
	#ifdef USE_SHEEN_ROUGHNESSMAP
		material.sheenRoughness *= texture2D( sheenRoughnessMap, vSheenRoughnessMapUv ).a;
	#endif
#endif
#ifdef USE_ANISOTROPY
	#ifdef USE_ANISOTROPYMAP
		mat2 anisotropyMat = mat2( anisotropyVector.x, anisotropyVector.y, - anisotropyVector.y, anisotropyVector.x );
		vec3 anisotropyPolar = texture2D( anisotropyMap, vAnisotropyMapUv ).rgb;
		vec2 anisotropyV = anisotropyMat * normalize( 2.0 * anisotropyPolar.rg - vec2( 1.0 ) ) * anisotropyPolar.b;
	#else
		vec2 anisotropyV = anisotropyVector;
	#endif
	material.anisotropy = length( anisotropyV );
	if( material.anisotropy == 0.0 ) {
		anisotropyV = vec2( 1.0, 0.0 );
	} else {
		anisotropyV /= material.anisotropy;
		material.anisotropy = saturate( material.anisotropy );
	}
	material.alphaT = mix( pow2( material.roughness ), 1.0, pow2( material.anisotropy ) );
	material.anisotropyT = tbn[ 0 ] * anisotropyV.x + tbn[ 1 ] * anisotropyV.y;
	material.anisotropyB = tbn[ 1 ] * anisotropyV.x - tbn[ 0 ] * anisotropyV.y;
#endif`,av=`uniform sampler2D dfgLUT;
struct PhysicalMaterial {
	vec3 diffuseColor;
	vec3 diffuseContribution;
	vec3 specularColor;
	vec3 specularColorBlended;
	float roughness;
	float metalness;
	float specularF90;
	float dispersion;
	vec2 dfg;
	vec3 multiScatteringCompensation;
	#ifdef USE_DIFFUSE_ROUGHNESS
		float diffuseRoughness;
	#endif
	#ifdef USE_RETROREFLECTION
		float retroreflectivity;
	#endif
	#ifdef USE_CLEARCOAT
		float clearcoat;
		float clearcoatRoughness;
		vec3 clearcoatF0;
		float clearcoatF90;
	#endif
	#ifdef USE_IRIDESCENCE
		float iridescence;
		float iridescenceIOR;
		float iridescenceThickness;
		vec3 iridescenceFresnel;
		vec3 iridescenceF0Dielectric;
		vec3 iridescenceF0Metallic;
	#endif
	#ifdef USE_SHEEN
		vec3 sheenColor;
		float sheenRoughness;
	#endif
	#ifdef IOR
		float ior;
	#endif
	#ifdef USE_TRANSMISSION
		float transmission;
		float transmissionAlpha;
		float thickness;
		float attenuationDistance;
		vec3 attenuationColor;
	#endif
	#ifdef USE_ANISOTROPY
		float anisotropy;
		float alphaT;
		vec3 anisotropyT;
		vec3 anisotropyB;
	#endif
};
vec3 clearcoatSpecularDirect = vec3( 0.0 );
vec3 clearcoatSpecularIndirect = vec3( 0.0 );
vec3 sheenSpecularDirect = vec3( 0.0 );
vec3 sheenSpecularIndirect = vec3(0.0 );
vec3 Schlick_to_F0( const in vec3 f, const in float f90, const in float dotVH ) {
    float x = clamp( 1.0 - dotVH, 0.0, 1.0 );
    float x2 = x * x;
    float x5 = clamp( x * x2 * x2, 0.0, 0.9999 );
    return ( f - vec3( f90 ) * x5 ) / ( 1.0 - x5 );
}
#ifdef USE_DIFFUSE_ROUGHNESS
	const float EON_EPSILON = 1e-7;
	float FON_DirectionalAlbedo( const in float mu, const in float roughness, const in float A ) {
		float muComp = 1.0 - mu;
		float gOverPi = muComp * ( 0.0571085289 + muComp * ( 0.491881867 + muComp * ( - 0.332181442 + muComp * 0.0714429953 ) ) );
		return A * ( 1.0 + roughness * gOverPi );
	}
	vec3 BRDF_EON( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in vec3 diffuseColor, const in float roughness ) {
		vec3 rho = saturate( diffuseColor );
		if ( roughness <= EON_EPSILON ) return BRDF_Lambert( rho );
		float dotNL = saturate( dot( normal, lightDir ) );
		float dotNV = saturate( dot( normal, viewDir ) );
		float s = dot( lightDir, viewDir ) - dotNL * dotNV;
		float sOverT = ( s > 0.0 ) ? s / max( max( dotNL, dotNV ), EON_EPSILON ) : s;
		float A = 1.0 / ( 1.0 + ( 0.5 - 2.0 / ( 3.0 * PI ) ) * roughness );
		vec3 singleScatter = rho * RECIPROCAL_PI * A * ( 1.0 + roughness * sOverT );
		float averageAlbedo = A * ( 1.0 + ( 2.0 / 3.0 - 28.0 / ( 15.0 * PI ) ) * roughness );
		float albedoV = FON_DirectionalAlbedo( dotNV, roughness, A );
		float albedoL = FON_DirectionalAlbedo( dotNL, roughness, A );
		vec3 rhoMultiScatter = rho * rho * averageAlbedo / max( vec3( EON_EPSILON ), vec3( 1.0 ) - rho * ( 1.0 - averageAlbedo ) );
		vec3 multiScatter = rhoMultiScatter * RECIPROCAL_PI
			* max( EON_EPSILON, 1.0 - albedoV )
			* max( EON_EPSILON, 1.0 - albedoL )
			/ max( EON_EPSILON, 1.0 - averageAlbedo );
		return singleScatter + multiScatter;
	}
	vec3 EON_DirectionalAlbedo( const in vec3 diffuseColor, const in float roughness, const in float dotNV ) {
		vec3 rho = saturate( diffuseColor );
		if ( roughness <= EON_EPSILON ) return rho;
		float A = 1.0 / ( 1.0 + ( 0.5 - 2.0 / ( 3.0 * PI ) ) * roughness );
		float directionalAlbedo = FON_DirectionalAlbedo( dotNV, roughness, A );
		float averageAlbedo = A * ( 1.0 + ( 2.0 / 3.0 - 28.0 / ( 15.0 * PI ) ) * roughness );
		vec3 rhoMultiScatter = rho * rho * averageAlbedo / max( vec3( EON_EPSILON ), vec3( 1.0 ) - rho * ( 1.0 - averageAlbedo ) );
		return rho * directionalAlbedo + rhoMultiScatter * ( 1.0 - directionalAlbedo );
	}
#endif
float V_GGX_SmithCorrelated( const in float alpha, const in float dotNL, const in float dotNV ) {
	float a2 = pow2( alpha );
	float gv = dotNL * sqrt( a2 + ( 1.0 - a2 ) * pow2( dotNV ) );
	float gl = dotNV * sqrt( a2 + ( 1.0 - a2 ) * pow2( dotNL ) );
	return 0.5 / max( gv + gl, EPSILON );
}
float D_GGX( const in float alpha, const in float dotNH ) {
	float a2 = pow2( alpha );
	float denom = pow2( dotNH ) * ( a2 - 1.0 ) + 1.0;
	return RECIPROCAL_PI * a2 / pow2( denom );
}
#ifdef USE_ANISOTROPY
	float V_GGX_SmithCorrelated_Anisotropic( const in float alphaT, const in float alphaB, const in float dotTV, const in float dotBV, const in float dotTL, const in float dotBL, const in float dotNV, const in float dotNL ) {
		float gv = dotNL * length( vec3( alphaT * dotTV, alphaB * dotBV, dotNV ) );
		float gl = dotNV * length( vec3( alphaT * dotTL, alphaB * dotBL, dotNL ) );
		return 0.5 / max( gv + gl, EPSILON );
	}
	float D_GGX_Anisotropic( const in float alphaT, const in float alphaB, const in float dotNH, const in float dotTH, const in float dotBH ) {
		float a2 = alphaT * alphaB;
		highp vec3 v = vec3( alphaB * dotTH, alphaT * dotBH, a2 * dotNH );
		highp float v2 = dot( v, v );
		float w2 = a2 / v2;
		return RECIPROCAL_PI * a2 * pow2 ( w2 );
	}
#endif
#ifdef USE_CLEARCOAT
	vec3 BRDF_GGX_Clearcoat( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in PhysicalMaterial material) {
		vec3 f0 = material.clearcoatF0;
		float f90 = material.clearcoatF90;
		float roughness = max( material.clearcoatRoughness, 0.045 );
		float alpha = pow2( roughness );
		vec3 halfDir = normalize( lightDir + viewDir );
		float dotNL = saturate( dot( normal, lightDir ) );
		float dotNV = saturate( dot( normal, viewDir ) );
		float dotNH = saturate( dot( normal, halfDir ) );
		float dotVH = saturate( dot( viewDir, halfDir ) );
		vec3 F = F_Schlick( f0, f90, dotVH );
		float V = V_GGX_SmithCorrelated( alpha, dotNL, dotNV );
		float D = D_GGX( alpha, dotNH );
		return F * ( V * D );
	}
#endif
vec3 BRDF_GGX( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in PhysicalMaterial material ) {
	vec3 f0 = material.specularColorBlended;
	float f90 = material.specularF90;
	float roughness = max( material.roughness, 0.045 );
	float alpha = pow2( roughness );
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNL = saturate( dot( normal, lightDir ) );
	float dotNV = saturate( dot( normal, viewDir ) );
	float dotNH = saturate( dot( normal, halfDir ) );
	float dotVH = saturate( dot( viewDir, halfDir ) );
	vec3 F = F_Schlick( f0, f90, dotVH );
	#ifdef USE_IRIDESCENCE
		F = mix( F, material.iridescenceFresnel, material.iridescence );
	#endif
	#ifdef USE_ANISOTROPY
		float dotTL = dot( material.anisotropyT, lightDir );
		float dotTV = dot( material.anisotropyT, viewDir );
		float dotTH = dot( material.anisotropyT, halfDir );
		float dotBL = dot( material.anisotropyB, lightDir );
		float dotBV = dot( material.anisotropyB, viewDir );
		float dotBH = dot( material.anisotropyB, halfDir );
		float alphaT = max( material.alphaT, alpha );
		float V = V_GGX_SmithCorrelated_Anisotropic( alphaT, alpha, dotTV, dotBV, dotTL, dotBL, dotNV, dotNL );
		float D = D_GGX_Anisotropic( alphaT, alpha, dotNH, dotTH, dotBH );
	#else
		float V = V_GGX_SmithCorrelated( alpha, dotNL, dotNV );
		float D = D_GGX( alpha, dotNH );
	#endif
	return F * ( V * D );
}
vec2 LTC_Uv( const in vec3 N, const in vec3 V, const in float roughness ) {
	const float LUT_SIZE = 64.0;
	const float LUT_SCALE = ( LUT_SIZE - 1.0 ) / LUT_SIZE;
	const float LUT_BIAS = 0.5 / LUT_SIZE;
	float dotNV = saturate( dot( N, V ) );
	vec2 uv = vec2( roughness, sqrt( 1.0 - dotNV ) );
	uv = uv * LUT_SCALE + LUT_BIAS;
	return uv;
}
float LTC_ClippedSphereFormFactor( const in vec3 f ) {
	float l = length( f );
	return max( ( l * l + f.z ) / ( l + 1.0 ), 0.0 );
}
vec3 LTC_EdgeVectorFormFactor( const in vec3 v1, const in vec3 v2 ) {
	float x = dot( v1, v2 );
	float y = abs( x );
	float a = 0.8543985 + ( 0.4965155 + 0.0145206 * y ) * y;
	float b = 3.4175940 + ( 4.1616724 + y ) * y;
	float v = a / b;
	float theta_sintheta = ( x > 0.0 ) ? v : 0.5 * inversesqrt( max( 1.0 - x * x, 1e-7 ) ) - v;
	return cross( v1, v2 ) * theta_sintheta;
}
vec3 LTC_Evaluate( const in vec3 N, const in vec3 V, const in vec3 P, const in mat3 mInv, const in vec3 rectCoords[ 4 ] ) {
	vec3 v1 = rectCoords[ 1 ] - rectCoords[ 0 ];
	vec3 v2 = rectCoords[ 3 ] - rectCoords[ 0 ];
	vec3 lightNormal = cross( v1, v2 );
	if( dot( lightNormal, P - rectCoords[ 0 ] ) < 0.0 ) return vec3( 0.0 );
	vec3 T1, T2;
	T1 = normalize( V - N * dot( V, N ) );
	T2 = - cross( N, T1 );
	mat3 mat = mInv * transpose( mat3( T1, T2, N ) );
	vec3 coords[ 4 ];
	coords[ 0 ] = mat * ( rectCoords[ 0 ] - P );
	coords[ 1 ] = mat * ( rectCoords[ 1 ] - P );
	coords[ 2 ] = mat * ( rectCoords[ 2 ] - P );
	coords[ 3 ] = mat * ( rectCoords[ 3 ] - P );
	coords[ 0 ] = normalize( coords[ 0 ] );
	coords[ 1 ] = normalize( coords[ 1 ] );
	coords[ 2 ] = normalize( coords[ 2 ] );
	coords[ 3 ] = normalize( coords[ 3 ] );
	vec3 vectorFormFactor = vec3( 0.0 );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 0 ], coords[ 1 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 1 ], coords[ 2 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 2 ], coords[ 3 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 3 ], coords[ 0 ] );
	float result = LTC_ClippedSphereFormFactor( vectorFormFactor );
	return vec3( result );
}
#if defined( USE_SHEEN )
float D_Charlie( float roughness, float dotNH ) {
	float alpha = pow2( roughness );
	float invAlpha = 1.0 / alpha;
	float cos2h = dotNH * dotNH;
	float sin2h = max( 1.0 - cos2h, 0.0078125 );
	return ( 2.0 + invAlpha ) * pow( sin2h, invAlpha * 0.5 ) / ( 2.0 * PI );
}
float V_Neubelt( float dotNV, float dotNL ) {
	return saturate( 1.0 / ( 4.0 * ( dotNL + dotNV - dotNL * dotNV ) ) );
}
vec3 BRDF_Sheen( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, vec3 sheenColor, const in float sheenRoughness ) {
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNL = saturate( dot( normal, lightDir ) );
	float dotNV = saturate( dot( normal, viewDir ) );
	float dotNH = saturate( dot( normal, halfDir ) );
	float D = D_Charlie( sheenRoughness, dotNH );
	float V = V_Neubelt( dotNV, dotNL );
	return sheenColor * ( D * V );
}
#endif
float IBLSheenBRDF( const in vec3 normal, const in vec3 viewDir, const in float roughness ) {
	float dotNV = saturate( dot( normal, viewDir ) );
	float r2 = roughness * roughness;
	float rInv = 1.0 / ( roughness + 0.1 );
	float a = -1.9362 + 1.0678 * roughness + 0.4573 * r2 - 0.8469 * rInv;
	float b = -0.6014 + 0.5538 * roughness - 0.4670 * r2 - 0.1255 * rInv;
	float DG = exp( a * dotNV + b );
	return saturate( DG );
}
vec3 EnvironmentBRDF( const in vec3 normal, const in vec3 viewDir, const in vec3 specularColor, const in float specularF90, const in float roughness ) {
	float dotNV = saturate( dot( normal, viewDir ) );
	vec2 fab = texture2D( dfgLUT, vec2( roughness, dotNV ) ).rg;
	return specularColor * fab.x + specularF90 * fab.y;
}
#ifdef USE_IRIDESCENCE
void computeMultiscatteringIridescence( const in vec2 fab, const in vec3 specularColor, const in float specularF90, const in float iridescence, const in vec3 iridescenceF0, inout vec3 singleScatter, inout vec3 multiScatter ) {
#else
void computeMultiscattering( const in vec2 fab, const in vec3 specularColor, const in float specularF90, inout vec3 singleScatter, inout vec3 multiScatter ) {
#endif
	#ifdef USE_IRIDESCENCE
		vec3 Fr = mix( specularColor, iridescenceF0, iridescence );
	#else
		vec3 Fr = specularColor;
	#endif
	vec3 FssEss = Fr * fab.x + specularF90 * fab.y;
	float Ess = fab.x + fab.y;
	float Ems = 1.0 - Ess;
	vec3 Favg = Fr + ( 1.0 - Fr ) * 0.047619;	vec3 Fms = FssEss * Favg / ( 1.0 - Ems * Favg );
	singleScatter += FssEss;
	multiScatter += Fms * Ems;
}
#if NUM_RECT_AREA_LIGHTS > 0
	void RE_Direct_RectArea_Physical( const in RectAreaLight rectAreaLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
		vec3 normal = geometryNormal;
		vec3 viewDir = geometryViewDir;
		vec3 position = geometryPosition;
		vec3 lightPos = rectAreaLight.position;
		vec3 halfWidth = rectAreaLight.halfWidth;
		vec3 halfHeight = rectAreaLight.halfHeight;
		vec3 lightColor = rectAreaLight.color;
		float roughness = material.roughness;
		vec3 rectCoords[ 4 ];
		rectCoords[ 0 ] = lightPos + halfWidth - halfHeight;		rectCoords[ 1 ] = lightPos - halfWidth - halfHeight;
		rectCoords[ 2 ] = lightPos - halfWidth + halfHeight;
		rectCoords[ 3 ] = lightPos + halfWidth + halfHeight;
		vec2 uv = LTC_Uv( normal, viewDir, roughness );
		vec4 t1 = texture2D( ltc_1, uv );
		vec4 t2 = texture2D( ltc_2, uv );
		mat3 mInv = mat3(
			vec3( t1.x, 0, t1.y ),
			vec3(    0, 1,    0 ),
			vec3( t1.z, 0, t1.w )
		);
		vec3 fresnel = ( material.specularColorBlended * t2.x + ( material.specularF90 - material.specularColorBlended ) * t2.y );
		reflectedLight.directSpecular += lightColor * fresnel * LTC_Evaluate( normal, viewDir, position, mInv, rectCoords );
		reflectedLight.directDiffuse += lightColor * material.diffuseContribution * LTC_Evaluate( normal, viewDir, position, mat3( 1.0 ), rectCoords );
		#ifdef USE_CLEARCOAT
			vec3 Ncc = geometryClearcoatNormal;
			vec2 uvClearcoat = LTC_Uv( Ncc, viewDir, material.clearcoatRoughness );
			vec4 t1Clearcoat = texture2D( ltc_1, uvClearcoat );
			vec4 t2Clearcoat = texture2D( ltc_2, uvClearcoat );
			mat3 mInvClearcoat = mat3(
				vec3( t1Clearcoat.x, 0, t1Clearcoat.y ),
				vec3(             0, 1,             0 ),
				vec3( t1Clearcoat.z, 0, t1Clearcoat.w )
			);
			vec3 fresnelClearcoat = material.clearcoatF0 * t2Clearcoat.x + ( material.clearcoatF90 - material.clearcoatF0 ) * t2Clearcoat.y;
			clearcoatSpecularDirect += lightColor * fresnelClearcoat * LTC_Evaluate( Ncc, viewDir, position, mInvClearcoat, rectCoords );
		#endif
	}
#endif
void RE_Direct_Physical( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	#ifdef USE_CLEARCOAT
		float dotNLcc = saturate( dot( geometryClearcoatNormal, directLight.direction ) );
		vec3 ccIrradiance = dotNLcc * directLight.color;
		clearcoatSpecularDirect += ccIrradiance * BRDF_GGX_Clearcoat( directLight.direction, geometryViewDir, geometryClearcoatNormal, material );
	#endif
	#ifdef USE_SHEEN
 
 		sheenSpecularDirect += irradiance * BRDF_Sheen( directLight.direction, geometryViewDir, geometryNormal, material.sheenColor, material.sheenRoughness );
 
 		float sheenAlbedoV = IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness );
 		float sheenAlbedoL = IBLSheenBRDF( geometryNormal, directLight.direction, material.sheenRoughness );
 
 		float sheenEnergyComp = 1.0 - max3( material.sheenColor ) * max( sheenAlbedoV, sheenAlbedoL );
 
 		irradiance *= sheenEnergyComp;
 
 	#endif
	vec3 specularBRDF = BRDF_GGX( directLight.direction, geometryViewDir, geometryNormal, material );
	#ifdef USE_RETROREFLECTION
		vec3 retroViewDir = reflect( - geometryViewDir, geometryNormal );
		vec3 retroSpecularBRDF = BRDF_GGX( directLight.direction, retroViewDir, geometryNormal, material );
		specularBRDF = mix( specularBRDF, retroSpecularBRDF, saturate( material.retroreflectivity ) );
	#endif
	reflectedLight.directSpecular += irradiance * specularBRDF * material.multiScatteringCompensation;
	vec3 halfDir = normalize( directLight.direction + geometryViewDir );
	float dotVH = saturate( dot( geometryViewDir, halfDir ) );
	vec3 F = F_Schlick( material.specularColor, material.specularF90, dotVH );
	#ifdef USE_RETROREFLECTION
		vec3 retroHalfDir = normalize( directLight.direction + retroViewDir );
		float dotRetroVH = saturate( dot( retroViewDir, retroHalfDir ) );
		vec3 retroF = F_Schlick( material.specularColor, material.specularF90, dotRetroVH );
		F = mix( F, retroF, saturate( material.retroreflectivity ) );
	#endif
	#ifdef USE_DIFFUSE_ROUGHNESS
		vec3 diffuseBRDF = BRDF_EON( directLight.direction, geometryViewDir, geometryNormal, material.diffuseColor, material.diffuseRoughness ) * ( 1.0 - material.metalness );
	#else
		vec3 diffuseBRDF = BRDF_Lambert( material.diffuseContribution );
	#endif
	reflectedLight.directDiffuse += irradiance * diffuseBRDF * ( 1.0 - F );
}
void RE_IndirectDiffuse_Physical( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
	vec3 singleScattering = vec3( 0.0 );
	vec3 multiScattering = vec3( 0.0 );
	#ifdef USE_IRIDESCENCE
		computeMultiscatteringIridescence( material.dfg, material.specularColor, material.specularF90, material.iridescence, material.iridescenceF0Dielectric, singleScattering, multiScattering );
	#else
		computeMultiscattering( material.dfg, material.specularColor, material.specularF90, singleScattering, multiScattering );
	#endif
	#ifdef USE_DIFFUSE_ROUGHNESS
		float dotNV = saturate( dot( geometryNormal, geometryViewDir ) );
		vec3 diffuseAlbedo = EON_DirectionalAlbedo( material.diffuseColor, material.diffuseRoughness, dotNV ) * ( 1.0 - material.metalness );
		vec3 diffuse = irradiance * RECIPROCAL_PI * diffuseAlbedo * ( 1.0 - singleScattering - multiScattering );
	#else
		vec3 diffuse = irradiance * BRDF_Lambert( material.diffuseContribution ) * ( 1.0 - singleScattering - multiScattering );
	#endif
	#ifdef USE_SHEEN
		float sheenAlbedo = IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness );
		sheenSpecularIndirect += irradiance * material.sheenColor * sheenAlbedo * RECIPROCAL_PI;
		float sheenEnergyComp = 1.0 - max3( material.sheenColor ) * sheenAlbedo;
		diffuse *= sheenEnergyComp;
	#endif
	reflectedLight.indirectDiffuse += diffuse;
}
void RE_IndirectSpecular_Physical( const in vec3 radiance, const in vec3 irradiance, const in vec3 clearcoatRadiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight) {
	#ifdef USE_CLEARCOAT
		clearcoatSpecularIndirect += clearcoatRadiance * EnvironmentBRDF( geometryClearcoatNormal, geometryViewDir, material.clearcoatF0, material.clearcoatF90, material.clearcoatRoughness );
	#endif
	#ifdef USE_SHEEN
		sheenSpecularIndirect += irradiance * material.sheenColor * IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness ) * RECIPROCAL_PI;
 	#endif
	vec3 singleScatteringDielectric = vec3( 0.0 );
	vec3 multiScatteringDielectric = vec3( 0.0 );
	vec3 singleScatteringMetallic = vec3( 0.0 );
	vec3 multiScatteringMetallic = vec3( 0.0 );
	#ifdef USE_IRIDESCENCE
		computeMultiscatteringIridescence( material.dfg, material.specularColor, material.specularF90, material.iridescence, material.iridescenceF0Dielectric, singleScatteringDielectric, multiScatteringDielectric );
		computeMultiscatteringIridescence( material.dfg, material.diffuseColor, material.specularF90, material.iridescence, material.iridescenceF0Metallic, singleScatteringMetallic, multiScatteringMetallic );
	#else
		computeMultiscattering( material.dfg, material.specularColor, material.specularF90, singleScatteringDielectric, multiScatteringDielectric );
		computeMultiscattering( material.dfg, material.diffuseColor, material.specularF90, singleScatteringMetallic, multiScatteringMetallic );
	#endif
	vec3 singleScattering = mix( singleScatteringDielectric, singleScatteringMetallic, material.metalness );
	vec3 multiScattering = mix( multiScatteringDielectric, multiScatteringMetallic, material.metalness );
	vec3 totalScatteringDielectric = singleScatteringDielectric + multiScatteringDielectric;
	#ifdef USE_DIFFUSE_ROUGHNESS
		float dotNV = saturate( dot( geometryNormal, geometryViewDir ) );
		vec3 diffuse = EON_DirectionalAlbedo( material.diffuseColor, material.diffuseRoughness, dotNV ) * ( 1.0 - material.metalness ) * ( 1.0 - totalScatteringDielectric );
	#else
		vec3 diffuse = material.diffuseContribution * ( 1.0 - totalScatteringDielectric );
	#endif
	vec3 cosineWeightedIrradiance = irradiance * RECIPROCAL_PI;
	vec3 indirectSpecular = radiance * singleScattering;
	indirectSpecular += multiScattering * cosineWeightedIrradiance;
	vec3 indirectDiffuse = diffuse * cosineWeightedIrradiance;
	#ifdef USE_SHEEN
		float sheenAlbedo = IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness );
		float sheenEnergyComp = 1.0 - max3( material.sheenColor ) * sheenAlbedo;
		indirectSpecular *= sheenEnergyComp;
		indirectDiffuse *= sheenEnergyComp;
	#endif
	reflectedLight.indirectSpecular += indirectSpecular;
	reflectedLight.indirectDiffuse += indirectDiffuse;
}
#define RE_Direct				RE_Direct_Physical
#define RE_Direct_RectArea		RE_Direct_RectArea_Physical
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Physical
#define RE_IndirectSpecular		RE_IndirectSpecular_Physical
float computeSpecularOcclusion( const in float dotNV, const in float ambientOcclusion, const in float roughness ) {
	return saturate( pow( dotNV + ambientOcclusion, exp2( - 16.0 * roughness - 1.0 ) ) - 1.0 + ambientOcclusion );
}`,lv=`
vec3 geometryPosition = - vViewPosition;
vec3 geometryNormal = normal;
vec3 geometryViewDir = ( isOrthographic ) ? vec3( 0, 0, 1 ) : normalize( vViewPosition );
vec3 geometryClearcoatNormal = vec3( 0.0 );
#ifdef USE_CLEARCOAT
	geometryClearcoatNormal = clearcoatNormal;
#endif
#ifdef USE_IRIDESCENCE
	float dotNVi = saturate( dot( normal, geometryViewDir ) );
	if ( material.iridescenceThickness == 0.0 ) {
		material.iridescence = 0.0;
	} else {
		material.iridescence = saturate( material.iridescence );
	}
	if ( material.iridescence > 0.0 ) {
		vec3 iridescenceFresnelDielectric = evalIridescence( 1.0, material.iridescenceIOR, dotNVi, material.iridescenceThickness, material.specularColor );
		vec3 iridescenceFresnelMetallic = evalIridescence( 1.0, material.iridescenceIOR, dotNVi, material.iridescenceThickness, material.diffuseColor );
		material.iridescenceFresnel = mix( iridescenceFresnelDielectric, iridescenceFresnelMetallic, material.metalness );
		material.iridescenceF0Dielectric = Schlick_to_F0( iridescenceFresnelDielectric, 1.0, dotNVi );
		material.iridescenceF0Metallic = Schlick_to_F0( iridescenceFresnelMetallic, 1.0, dotNVi );
	}
#endif
#ifdef STANDARD
	float dotNVms = saturate( dot( geometryNormal, geometryViewDir ) );
	material.dfg = texture2D( dfgLUT, vec2( material.roughness, dotNVms ) ).rg;
	#if ( NUM_SUN_LIGHTS > 0 || NUM_DIR_LIGHTS > 0 || NUM_POINT_LIGHTS > 0 || NUM_SPOT_LIGHTS > 0 )
		float EssMs = material.dfg.x + material.dfg.y;
		material.multiScatteringCompensation = 1.0 + material.specularColorBlended * ( 1.0 / EssMs - 1.0 );
	#endif
#endif
IncidentLight directLight;
#if ( NUM_POINT_LIGHTS > 0 ) && defined( RE_Direct )
	PointLight pointLight;
	#if defined( USE_SHADOWMAP ) && NUM_POINT_LIGHT_SHADOWS > 0
	PointLightShadow pointLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_POINT_LIGHTS; i ++ ) {
		pointLight = pointLights[ i ];
		getPointLightInfo( pointLight, geometryPosition, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_POINT_LIGHT_SHADOWS ) && ( defined( SHADOWMAP_TYPE_PCF ) || defined( SHADOWMAP_TYPE_BASIC ) )
		pointLightShadow = pointLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getPointShadow( pointShadowMap[ i ], pointLightShadow.shadowMapSize, pointLightShadow.shadowIntensity, pointLightShadow.shadowBias, pointLightShadow.shadowRadius, vPointShadowCoord[ i ], pointLightShadow.shadowCameraNear, pointLightShadow.shadowCameraFar ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_SPOT_LIGHTS > 0 ) && defined( RE_Direct )
	SpotLight spotLight;
	vec4 spotColor;
	vec3 spotLightCoord;
	bool inSpotLightMap;
	#if defined( USE_SHADOWMAP ) && NUM_SPOT_LIGHT_SHADOWS > 0
	SpotLightShadow spotLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHTS; i ++ ) {
		spotLight = spotLights[ i ];
		getSpotLightInfo( spotLight, geometryPosition, directLight );
		#if ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS )
		#define SPOT_LIGHT_MAP_INDEX UNROLLED_LOOP_INDEX
		#elif ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
		#define SPOT_LIGHT_MAP_INDEX NUM_SPOT_LIGHT_MAPS
		#else
		#define SPOT_LIGHT_MAP_INDEX ( UNROLLED_LOOP_INDEX - NUM_SPOT_LIGHT_SHADOWS + NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS )
		#endif
		#if ( SPOT_LIGHT_MAP_INDEX < NUM_SPOT_LIGHT_MAPS )
			spotLightCoord = vSpotLightCoord[ i ].xyz / vSpotLightCoord[ i ].w;
			inSpotLightMap = all( lessThan( abs( spotLightCoord * 2. - 1. ), vec3( 1.0 ) ) );
			spotColor = texture2D( spotLightMap[ SPOT_LIGHT_MAP_INDEX ], spotLightCoord.xy );
			directLight.color = inSpotLightMap ? directLight.color * spotColor.rgb : directLight.color;
		#endif
		#undef SPOT_LIGHT_MAP_INDEX
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
		spotLightShadow = spotLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getShadow( spotShadowMap[ i ], spotLightShadow.shadowMapSize, spotLightShadow.shadowIntensity, spotLightShadow.shadowBias, spotLightShadow.shadowRadius, vSpotLightCoord[ i ] ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_SUN_LIGHTS > 0 ) && defined( RE_Direct )
	SunLight sunLight;
	#if defined( USE_SHADOWMAP ) && NUM_SUN_LIGHT_SHADOWS > 0
	SunLightShadow sunLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SUN_LIGHTS; i ++ ) {
		sunLight = sunLights[ i ];
		getSunLightInfo( sunLight, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_SUN_LIGHT_SHADOWS )
		sunLightShadow = sunLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getSunShadow( sunShadowMap[ i ], sunLightShadow, UNROLLED_LOOP_INDEX ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_DIR_LIGHTS > 0 ) && defined( RE_Direct )
	DirectionalLight directionalLight;
	#if defined( USE_SHADOWMAP ) && NUM_DIR_LIGHT_SHADOWS > 0
	DirectionalLightShadow directionalLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_DIR_LIGHTS; i ++ ) {
		directionalLight = directionalLights[ i ];
		getDirectionalLightInfo( directionalLight, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_DIR_LIGHT_SHADOWS )
		directionalLightShadow = directionalLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getShadow( directionalShadowMap[ i ], directionalLightShadow.shadowMapSize, directionalLightShadow.shadowIntensity, directionalLightShadow.shadowBias, directionalLightShadow.shadowRadius, vDirectionalShadowCoord[ i ] ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_RECT_AREA_LIGHTS > 0 ) && defined( RE_Direct_RectArea )
	RectAreaLight rectAreaLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_RECT_AREA_LIGHTS; i ++ ) {
		rectAreaLight = rectAreaLights[ i ];
		RE_Direct_RectArea( rectAreaLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if defined( RE_IndirectDiffuse )
	vec3 iblIrradiance = vec3( 0.0 );
	vec3 irradiance = getAmbientLightIrradiance( ambientLightColor );
	#if defined( USE_LIGHT_PROBES )
		irradiance += getLightProbeIrradiance( lightProbe, geometryNormal );
	#endif
	#if ( NUM_HEMI_LIGHTS > 0 )
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_HEMI_LIGHTS; i ++ ) {
			irradiance += getHemisphereLightIrradiance( hemisphereLights[ i ], geometryNormal );
		}
		#pragma unroll_loop_end
	#endif
	#if NUM_LIGHT_PROBE_GRIDS > 0
		vec3 probeWorldPos = ( ( vec4( geometryPosition, 1.0 ) - viewMatrix[ 3 ] ) * viewMatrix ).xyz;
		vec3 probeWorldNormal = transformNormalByInverseViewMatrix( geometryNormal, viewMatrix );
		int probeGrid = - 1;
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_LIGHT_PROBE_GRIDS; i ++ ) {
			if ( isInsideLightProbeGrid( probeWorldPos, probeWorldNormal, probesMin[ i ], probesMax[ i ], probesResolution[ i ] ) ) probeGrid = UNROLLED_LOOP_INDEX;
		}
		#pragma unroll_loop_end
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_LIGHT_PROBE_GRIDS; i ++ ) {
			if ( probeGrid == UNROLLED_LOOP_INDEX ) irradiance += getLightProbeGridIrradiance( probesSH[ i ], probesMin[ i ], probesMax[ i ], probesResolution[ i ], probeWorldPos, probeWorldNormal );
		}
		#pragma unroll_loop_end
	#endif
#endif
#if defined( RE_IndirectSpecular )
	vec3 radiance = vec3( 0.0 );
	vec3 clearcoatRadiance = vec3( 0.0 );
#endif`,cv=`#if defined( RE_IndirectDiffuse )
	#ifdef USE_LIGHTMAP
		vec4 lightMapTexel = texture2D( lightMap, vLightMapUv );
		vec3 lightMapIrradiance = lightMapTexel.rgb * lightMapIntensity;
		irradiance += lightMapIrradiance;
	#endif
	#if defined( USE_ENVMAP ) && defined( ENVMAP_TYPE_PMREM )
		#if defined( STANDARD ) || defined( LAMBERT ) || defined( PHONG )
			iblIrradiance += getIBLIrradiance( geometryNormal );
		#endif
	#endif
#endif
#if defined( USE_ENVMAP ) && defined( RE_IndirectSpecular )
	#ifdef USE_ANISOTROPY
		vec3 iblRadiance = getIBLAnisotropyRadiance( geometryViewDir, geometryNormal, material.roughness, material.anisotropyB, material.anisotropy );
	#else
		vec3 iblRadiance = getIBLRadiance( geometryViewDir, geometryNormal, material.roughness );
	#endif
	#ifdef USE_RETROREFLECTION
		#ifdef USE_ANISOTROPY
			vec3 retroIBLRadiance = getIBLAnisotropyRetroRadiance( geometryViewDir, geometryNormal, material.roughness, material.anisotropyB, material.anisotropy );
		#else
			vec3 retroIBLRadiance = getIBLRetroRadiance( geometryViewDir, geometryNormal, material.roughness );
		#endif
		iblRadiance = mix( iblRadiance, retroIBLRadiance, saturate( material.retroreflectivity ) );
	#endif
	radiance += iblRadiance;
	#ifdef USE_CLEARCOAT
		clearcoatRadiance += getIBLRadiance( geometryViewDir, geometryClearcoatNormal, material.clearcoatRoughness );
	#endif
#endif`,hv=`#if defined( RE_IndirectDiffuse )
	#if defined( LAMBERT ) || defined( PHONG )
		irradiance += iblIrradiance;
	#endif
	RE_IndirectDiffuse( irradiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif
#if defined( RE_IndirectSpecular )
	RE_IndirectSpecular( radiance, iblIrradiance, clearcoatRadiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif`,uv=`#if NUM_LIGHT_PROBE_GRIDS > 0
uniform highp sampler3D probesSH[ NUM_LIGHT_PROBE_GRIDS ];
uniform vec3 probesMin[ NUM_LIGHT_PROBE_GRIDS ];
uniform vec3 probesMax[ NUM_LIGHT_PROBE_GRIDS ];
uniform vec3 probesResolution[ NUM_LIGHT_PROBE_GRIDS ];
bool isInsideLightProbeGrid( vec3 worldPos, vec3 worldNormal, vec3 probesMin, vec3 probesMax, vec3 probesResolution ) {
	vec3 spacing = ( probesMax - probesMin ) / probesResolution;
	vec3 samplePos = worldPos + worldNormal * spacing * 0.5;
	vec3 margin = spacing * 0.01;
	return all( greaterThanEqual( samplePos, probesMin - margin ) ) && all( lessThanEqual( samplePos, probesMax + margin ) );
}
vec3 getLightProbeGridIrradiance( highp sampler3D probesSH, vec3 probesMin, vec3 probesMax, vec3 probesResolution, vec3 worldPos, vec3 worldNormal ) {
	vec3 res = probesResolution;
	vec3 gridRange = probesMax - probesMin;
	vec3 probeSpacing = gridRange / res;
	vec3 samplePos = worldPos + worldNormal * probeSpacing * 0.5;
	vec3 uvw = clamp( ( samplePos - probesMin ) / gridRange, 0.5 / res, 1.0 - 0.5 / res );
	float nz          = res.z;
	float paddedSlices = nz + 2.0;
	float atlasDepth  = 7.0 * paddedSlices;
	float uvZBase     = uvw.z * nz + 1.0;
	vec4 s0 = texture( probesSH, vec3( uvw.xy, ( uvZBase                       ) / atlasDepth ) );
	vec4 s1 = texture( probesSH, vec3( uvw.xy, ( uvZBase +       paddedSlices   ) / atlasDepth ) );
	vec4 s2 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 2.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s3 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 3.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s4 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 4.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s5 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 5.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s6 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 6.0 * paddedSlices   ) / atlasDepth ) );
	vec3 c0 = s0.xyz;
	vec3 c1 = vec3( s0.w, s1.xy );
	vec3 c2 = vec3( s1.zw, s2.x );
	vec3 c3 = s2.yzw;
	vec3 c4 = s3.xyz;
	vec3 c5 = vec3( s3.w, s4.xy );
	vec3 c6 = vec3( s4.zw, s5.x );
	vec3 c7 = s5.yzw;
	vec3 c8 = s6.xyz;
	float x = worldNormal.x, y = worldNormal.y, z = worldNormal.z;
	vec3 result = c0 * 0.886227;
	result += c1 * 2.0 * 0.511664 * y;
	result += c2 * 2.0 * 0.511664 * z;
	result += c3 * 2.0 * 0.511664 * x;
	result += c4 * 2.0 * 0.429043 * x * y;
	result += c5 * 2.0 * 0.429043 * y * z;
	result += c6 * ( 0.743125 * z * z - 0.247708 );
	result += c7 * 2.0 * 0.429043 * x * z;
	result += c8 * 0.429043 * ( x * x - y * y );
	return max( result, vec3( 0.0 ) );
}
#endif`,dv=`#if defined( USE_LOGARITHMIC_DEPTH_BUFFER )
	gl_FragDepth = vIsPerspective == 0.0 ? gl_FragCoord.z : log2( vFragDepth ) * logDepthBufFC * 0.5;
#endif`,fv=`#if defined( USE_LOGARITHMIC_DEPTH_BUFFER )
	uniform float logDepthBufFC;
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,pv=`#ifdef USE_LOGARITHMIC_DEPTH_BUFFER
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,mv=`#ifdef USE_LOGARITHMIC_DEPTH_BUFFER
	vFragDepth = 1.0 + gl_Position.w;
	vIsPerspective = float( isPerspectiveMatrix( projectionMatrix ) );
#endif`,gv=`#ifdef USE_MAP
	vec4 sampledDiffuseColor = texture2D( map, vMapUv );
	#ifdef DECODE_VIDEO_TEXTURE
		sampledDiffuseColor = sRGBTransferEOTF( sampledDiffuseColor );
	#endif
	diffuseColor *= sampledDiffuseColor;
#endif`,_v=`#ifdef USE_MAP
	uniform sampler2D map;
#endif`,xv=`#if defined( USE_MAP ) || defined( USE_ALPHAMAP )
	#if defined( USE_POINTS_UV )
		vec2 uv = vUv;
	#else
		vec2 uv = ( uvTransform * vec3( gl_PointCoord.x, 1.0 - gl_PointCoord.y, 1 ) ).xy;
	#endif
#endif
#ifdef USE_MAP
	diffuseColor *= texture2D( map, uv );
#endif
#ifdef USE_ALPHAMAP
	diffuseColor.a *= texture2D( alphaMap, uv ).g;
#endif`,yv=`#if defined( USE_POINTS_UV )
	varying vec2 vUv;
#else
	#if defined( USE_MAP ) || defined( USE_ALPHAMAP )
		uniform mat3 uvTransform;
	#endif
#endif
#ifdef USE_MAP
	uniform sampler2D map;
#endif
#ifdef USE_ALPHAMAP
	uniform sampler2D alphaMap;
#endif`,vv=`float metalnessFactor = metalness;
#ifdef USE_METALNESSMAP
	vec4 texelMetalness = texture2D( metalnessMap, vMetalnessMapUv );
	metalnessFactor *= texelMetalness.b;
#endif`,Sv=`#ifdef USE_METALNESSMAP
	uniform sampler2D metalnessMap;
#endif`,Mv=`#ifdef USE_INSTANCING_MORPH
	float morphTargetInfluences[ MORPHTARGETS_COUNT ];
	float morphTargetBaseInfluence = texelFetch( morphTexture, ivec2( 0, gl_InstanceID ), 0 ).r;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		morphTargetInfluences[i] =  texelFetch( morphTexture, ivec2( i + 1, gl_InstanceID ), 0 ).r;
	}
#endif`,bv=`#if defined( USE_MORPHCOLORS )
	#if defined( USE_COLOR_ALPHA )
		vColor *= morphTargetBaseInfluence;
	#elif defined( USE_COLOR )
		vColor.rgb *= morphTargetBaseInfluence;
	#endif
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		#if defined( USE_COLOR_ALPHA )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor += getMorph( gl_VertexID, i, 2 ) * morphTargetInfluences[ i ];
		#elif defined( USE_COLOR )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor.rgb += getMorph( gl_VertexID, i, 2 ).rgb * morphTargetInfluences[ i ];
		#endif
	}
#endif`,wv=`#ifdef USE_MORPHNORMALS
	objectNormal *= morphTargetBaseInfluence;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		if ( morphTargetInfluences[ i ] != 0.0 ) objectNormal += getMorph( gl_VertexID, i, 1 ).xyz * morphTargetInfluences[ i ];
	}
#endif`,Av=`#ifdef USE_MORPHTARGETS
	#ifndef USE_INSTANCING_MORPH
		uniform float morphTargetBaseInfluence;
		uniform float morphTargetInfluences[ MORPHTARGETS_COUNT ];
	#endif
	uniform sampler2DArray morphTargetsTexture;
	uniform ivec2 morphTargetsTextureSize;
	vec4 getMorph( const in int vertexIndex, const in int morphTargetIndex, const in int offset ) {
		int texelIndex = vertexIndex * MORPHTARGETS_TEXTURE_STRIDE + offset;
		int y = texelIndex / morphTargetsTextureSize.x;
		int x = texelIndex - y * morphTargetsTextureSize.x;
		ivec3 morphUV = ivec3( x, y, morphTargetIndex );
		return texelFetch( morphTargetsTexture, morphUV, 0 );
	}
#endif`,Tv=`#ifdef USE_MORPHTARGETS
	transformed *= morphTargetBaseInfluence;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		if ( morphTargetInfluences[ i ] != 0.0 ) transformed += getMorph( gl_VertexID, i, 0 ).xyz * morphTargetInfluences[ i ];
	}
#endif`,Ev=`float faceDirection = gl_FrontFacing ? 1.0 : - 1.0;
#ifdef FLAT_SHADED
	vec3 fdx = dFdx( vViewPosition );
	vec3 fdy = dFdy( vViewPosition );
	vec3 normal = normalize( cross( fdx, fdy ) );
#else
	vec3 normal = normalize( vNormal );
	#ifdef DOUBLE_SIDED
		normal *= faceDirection;
	#endif
#endif
#if defined( USE_NORMALMAP_TANGENTSPACE ) || defined( USE_CLEARCOAT_NORMALMAP ) || defined( USE_ANISOTROPY )
	#ifdef USE_TANGENT
		mat3 tbn = mat3( normalize( vTangent ), normalize( vBitangent ), normal );
	#else
		mat3 tbn = getTangentFrame( - vViewPosition, normal,
		#if defined( USE_NORMALMAP )
			vNormalMapUv
		#elif defined( USE_CLEARCOAT_NORMALMAP )
			vClearcoatNormalMapUv
		#else
			vUv
		#endif
		);
	#endif
	#ifdef DOUBLE_SIDED
		tbn[0] *= faceDirection;
		tbn[1] *= faceDirection;
	#endif
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	#ifdef USE_TANGENT
		mat3 tbn2 = mat3( normalize( vTangent ), normalize( vBitangent ), normal );
	#else
		mat3 tbn2 = getTangentFrame( - vViewPosition, normal, vClearcoatNormalMapUv );
	#endif
	#ifdef DOUBLE_SIDED
		tbn2[0] *= faceDirection;
		tbn2[1] *= faceDirection;
	#endif
#endif
vec3 nonPerturbedNormal = normal;`,Cv=`#ifdef USE_NORMALMAP_OBJECTSPACE
	normal = texture2D( normalMap, vNormalMapUv ).xyz * 2.0 - 1.0;
	#ifdef FLIP_SIDED
		normal = - normal;
	#endif
	#ifdef DOUBLE_SIDED
		normal = normal * faceDirection;
	#endif
	normal = normalize( normalMatrix * normal );
#elif defined( USE_NORMALMAP_TANGENTSPACE )
	vec3 mapN = texture2D( normalMap, vNormalMapUv ).xyz * 2.0 - 1.0;
	#if defined( USE_PACKED_NORMALMAP )
		mapN = vec3( mapN.xy, sqrt( saturate( 1.0 - dot( mapN.xy, mapN.xy ) ) ) );
	#endif
	mapN.xy *= normalScale;
	normal = normalize( tbn * mapN );
#elif defined( USE_BUMPMAP )
	normal = perturbNormalArb( - vViewPosition, normal, dHdxy_fwd(), faceDirection );
#endif`,Rv=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,Pv=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,Iv=`#ifndef FLAT_SHADED
	vNormal = normalize( transformedNormal );
	#ifdef USE_TANGENT
		vTangent = normalize( transformedTangent );
		vBitangent = normalize( cross( vNormal, vTangent ) * tangent.w );
		#ifdef FLIP_SIDED
			vBitangent = - vBitangent;
		#endif
	#endif
#endif`,Lv=`#ifdef USE_NORMALMAP
	uniform sampler2D normalMap;
	uniform vec2 normalScale;
#endif
#ifdef USE_NORMALMAP_OBJECTSPACE
	uniform mat3 normalMatrix;
#endif
#if ! defined ( USE_TANGENT ) && ( defined ( USE_NORMALMAP_TANGENTSPACE ) || defined ( USE_CLEARCOAT_NORMALMAP ) || defined( USE_ANISOTROPY ) )
	mat3 getTangentFrame( vec3 eye_pos, vec3 surf_norm, vec2 uv ) {
		vec3 q0 = dFdx( eye_pos.xyz );
		vec3 q1 = dFdy( eye_pos.xyz );
		vec2 st0 = dFdx( uv.st );
		vec2 st1 = dFdy( uv.st );
		vec3 N = surf_norm;
		vec3 q1perp = cross( q1, N );
		vec3 q0perp = cross( N, q0 );
		vec3 T = q1perp * st0.x + q0perp * st1.x;
		vec3 B = q1perp * st0.y + q0perp * st1.y;
		float det = max( dot( T, T ), dot( B, B ) );
		float scale = ( det == 0.0 ) ? 0.0 : inversesqrt( det );
		return mat3( T * scale, B * scale, N );
	}
#endif`,Dv=`#ifdef USE_CLEARCOAT
	vec3 clearcoatNormal = nonPerturbedNormal;
#endif`,Nv=`#ifdef USE_CLEARCOAT_NORMALMAP
	vec3 clearcoatMapN = texture2D( clearcoatNormalMap, vClearcoatNormalMapUv ).xyz * 2.0 - 1.0;
	clearcoatMapN.xy *= clearcoatNormalScale;
	clearcoatNormal = normalize( tbn2 * clearcoatMapN );
#endif`,Uv=`#ifdef USE_CLEARCOATMAP
	uniform sampler2D clearcoatMap;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	uniform sampler2D clearcoatNormalMap;
	uniform vec2 clearcoatNormalScale;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	uniform sampler2D clearcoatRoughnessMap;
#endif`,Fv=`#ifdef USE_IRIDESCENCEMAP
	uniform sampler2D iridescenceMap;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	uniform sampler2D iridescenceThicknessMap;
#endif`,Ov=`#ifdef OPAQUE
diffuseColor.a = 1.0;
#endif
#ifdef USE_TRANSMISSION
diffuseColor.a *= material.transmissionAlpha;
#endif
gl_FragColor = vec4( outgoingLight, diffuseColor.a );`,Bv=`vec3 packNormalToRGB( const in vec3 normal ) {
	return normalize( normal ) * 0.5 + 0.5;
}
vec3 unpackRGBToNormal( const in vec3 rgb ) {
	return 2.0 * rgb.xyz - 1.0;
}
const float PackUpscale = 256. / 255.;const float UnpackDownscale = 255. / 256.;const float ShiftRight8 = 1. / 256.;
const float Inv255 = 1. / 255.;
const vec4 PackFactors = vec4( 1.0, 256.0, 256.0 * 256.0, 256.0 * 256.0 * 256.0 );
const vec2 UnpackFactors2 = vec2( UnpackDownscale, 1.0 / PackFactors.g );
const vec3 UnpackFactors3 = vec3( UnpackDownscale / PackFactors.rg, 1.0 / PackFactors.b );
const vec4 UnpackFactors4 = vec4( UnpackDownscale / PackFactors.rgb, 1.0 / PackFactors.a );
vec4 packDepthToRGBA( const in float v ) {
	if( v <= 0.0 )
		return vec4( 0., 0., 0., 0. );
	if( v >= 1.0 )
		return vec4( 1., 1., 1., 1. );
	float vuf;
	float af = modf( v * PackFactors.a, vuf );
	float bf = modf( vuf * ShiftRight8, vuf );
	float gf = modf( vuf * ShiftRight8, vuf );
	return vec4( vuf * Inv255, gf * PackUpscale, bf * PackUpscale, af );
}
vec3 packDepthToRGB( const in float v ) {
	if( v <= 0.0 )
		return vec3( 0., 0., 0. );
	if( v >= 1.0 )
		return vec3( 1., 1., 1. );
	float vuf;
	float bf = modf( v * PackFactors.b, vuf );
	float gf = modf( vuf * ShiftRight8, vuf );
	return vec3( vuf * Inv255, gf * PackUpscale, bf );
}
vec2 packDepthToRG( const in float v ) {
	if( v <= 0.0 )
		return vec2( 0., 0. );
	if( v >= 1.0 )
		return vec2( 1., 1. );
	float vuf;
	float gf = modf( v * 256., vuf );
	return vec2( vuf * Inv255, gf );
}
float unpackRGBAToDepth( const in vec4 v ) {
	return dot( v, UnpackFactors4 );
}
float unpackRGBToDepth( const in vec3 v ) {
	return dot( v, UnpackFactors3 );
}
float unpackRGToDepth( const in vec2 v ) {
	return v.r * UnpackFactors2.r + v.g * UnpackFactors2.g;
}
vec4 pack2HalfToRGBA( const in vec2 v ) {
	vec4 r = vec4( v.x, fract( v.x * 255.0 ), v.y, fract( v.y * 255.0 ) );
	return vec4( r.x - r.y / 255.0, r.y, r.z - r.w / 255.0, r.w );
}
vec2 unpackRGBATo2Half( const in vec4 v ) {
	return vec2( v.x + ( v.y / 255.0 ), v.z + ( v.w / 255.0 ) );
}
float viewZToOrthographicDepth( const in float viewZ, const in float near, const in float far ) {
	return ( viewZ + near ) / ( near - far );
}
float orthographicDepthToViewZ( const in float depth, const in float near, const in float far ) {
	#ifdef USE_REVERSED_DEPTH_BUFFER
	
		return depth * ( far - near ) - far;
	#else
		return depth * ( near - far ) - near;
	#endif
}
float viewZToPerspectiveDepth( const in float viewZ, const in float near, const in float far ) {
	return ( ( near + viewZ ) * far ) / ( ( far - near ) * viewZ );
}
float perspectiveDepthToViewZ( const in float depth, const in float near, const in float far ) {
	
	#ifdef USE_REVERSED_DEPTH_BUFFER
		return ( near * far ) / ( ( near - far ) * depth - near );
	#else
		return ( near * far ) / ( ( far - near ) * depth - far );
	#endif
}`,kv=`#ifdef PREMULTIPLIED_ALPHA
	gl_FragColor.rgb *= gl_FragColor.a;
#endif`,zv=`vec4 mvPosition = vec4( transformed, 1.0 );
#ifdef USE_BATCHING
	mvPosition = batchingMatrix * mvPosition;
#endif
#ifdef USE_INSTANCING
	mvPosition = instanceMatrix * mvPosition;
#endif
mvPosition = modelViewMatrix * mvPosition;
gl_Position = projectionMatrix * mvPosition;`,Vv=`#ifdef DITHERING
	gl_FragColor.rgb = dithering( gl_FragColor.rgb );
#endif`,Gv=`#ifdef DITHERING
	vec3 dithering( vec3 color ) {
		float grid_position = rand( gl_FragCoord.xy );
		vec3 dither_shift_RGB = vec3( 0.25 / 255.0, -0.25 / 255.0, 0.25 / 255.0 );
		dither_shift_RGB = mix( 2.0 * dither_shift_RGB, -2.0 * dither_shift_RGB, grid_position );
		return color + dither_shift_RGB;
	}
#endif`,Hv=`float roughnessFactor = roughness;
#ifdef USE_ROUGHNESSMAP
	vec4 texelRoughness = texture2D( roughnessMap, vRoughnessMapUv );
	roughnessFactor *= texelRoughness.g;
#endif`,Wv=`#ifdef USE_ROUGHNESSMAP
	uniform sampler2D roughnessMap;
#endif`,Xv=`#if NUM_SPOT_LIGHT_COORDS > 0
	varying vec4 vSpotLightCoord[ NUM_SPOT_LIGHT_COORDS ];
#endif
#if NUM_SPOT_LIGHT_MAPS > 0
	uniform sampler2D spotLightMap[ NUM_SPOT_LIGHT_MAPS ];
#endif
#ifdef USE_SHADOWMAP
	#if NUM_SUN_LIGHT_SHADOWS > 0
		#define SUN_LIGHT_CASCADES 2
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform sampler2DShadow sunShadowMap[ NUM_SUN_LIGHT_SHADOWS ];
		#else
			uniform sampler2D sunShadowMap[ NUM_SUN_LIGHT_SHADOWS ];
		#endif
		uniform mat4 sunShadowMatrix[ NUM_SUN_LIGHT_SHADOWS * SUN_LIGHT_CASCADES ];
		uniform vec4 sunShadowCascade[ NUM_SUN_LIGHT_SHADOWS * SUN_LIGHT_CASCADES ];
		varying vec4 vSunShadowWorldPosition;
		varying vec3 vSunShadowWorldNormal;
		struct SunLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SunLightShadow sunLightShadows[ NUM_SUN_LIGHT_SHADOWS ];
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform sampler2DShadow directionalShadowMap[ NUM_DIR_LIGHT_SHADOWS ];
		#else
			uniform sampler2D directionalShadowMap[ NUM_DIR_LIGHT_SHADOWS ];
		#endif
		varying vec4 vDirectionalShadowCoord[ NUM_DIR_LIGHT_SHADOWS ];
		struct DirectionalLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform DirectionalLightShadow directionalLightShadows[ NUM_DIR_LIGHT_SHADOWS ];
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform sampler2DShadow spotShadowMap[ NUM_SPOT_LIGHT_SHADOWS ];
		#else
			uniform sampler2D spotShadowMap[ NUM_SPOT_LIGHT_SHADOWS ];
		#endif
		struct SpotLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SpotLightShadow spotLightShadows[ NUM_SPOT_LIGHT_SHADOWS ];
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform samplerCubeShadow pointShadowMap[ NUM_POINT_LIGHT_SHADOWS ];
		#elif defined( SHADOWMAP_TYPE_BASIC )
			uniform samplerCube pointShadowMap[ NUM_POINT_LIGHT_SHADOWS ];
		#endif
		varying vec4 vPointShadowCoord[ NUM_POINT_LIGHT_SHADOWS ];
		struct PointLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
			float shadowCameraNear;
			float shadowCameraFar;
		};
		uniform PointLightShadow pointLightShadows[ NUM_POINT_LIGHT_SHADOWS ];
	#endif
	#if defined( SHADOWMAP_TYPE_PCF )
		float interleavedGradientNoise( vec2 position ) {
			return fract( 52.9829189 * fract( dot( position, vec2( 0.06711056, 0.00583715 ) ) ) );
		}
		vec2 vogelDiskSample( int sampleIndex, int samplesCount, float phi ) {
			const float goldenAngle = 2.399963229728653;
			float r = sqrt( ( float( sampleIndex ) + 0.5 ) / float( samplesCount ) );
			float theta = float( sampleIndex ) * goldenAngle + phi;
			return vec2( cos( theta ), sin( theta ) ) * r;
		}
	#endif
	#if defined( SHADOWMAP_TYPE_PCF )
		float getShadow( sampler2DShadow shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord ) {
			float shadow = 1.0;
			shadowCoord.xyz /= shadowCoord.w;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				shadowCoord.z -= shadowBias;
			#else
				shadowCoord.z += shadowBias;
			#endif
			bool inFrustum = shadowCoord.x >= 0.0 && shadowCoord.x <= 1.0 && shadowCoord.y >= 0.0 && shadowCoord.y <= 1.0;
			bool frustumTest = inFrustum && shadowCoord.z <= 1.0;
			if ( frustumTest ) {
				vec2 texelSize = vec2( 1.0 ) / shadowMapSize;
				vec2 radius = shadowRadius * texelSize;
				float phi = interleavedGradientNoise( gl_FragCoord.xy ) * PI2;
				shadow = (
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 0, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 1, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 2, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 3, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 4, 5, phi ) * radius, shadowCoord.z ) )
				) * 0.2;
			}
			return mix( 1.0, shadow, shadowIntensity );
		}
	#elif defined( SHADOWMAP_TYPE_VSM )
		float getShadow( sampler2D shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord ) {
			float shadow = 1.0;
			shadowCoord.xyz /= shadowCoord.w;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				shadowCoord.z -= shadowBias;
			#else
				shadowCoord.z += shadowBias;
			#endif
			bool inFrustum = shadowCoord.x >= 0.0 && shadowCoord.x <= 1.0 && shadowCoord.y >= 0.0 && shadowCoord.y <= 1.0;
			bool frustumTest = inFrustum && shadowCoord.z <= 1.0;
			if ( frustumTest ) {
				vec2 distribution = texture2D( shadowMap, shadowCoord.xy ).rg;
				float mean = distribution.x;
				float variance = distribution.y * distribution.y;
				#ifdef USE_REVERSED_DEPTH_BUFFER
					float hard_shadow = step( mean, shadowCoord.z );
				#else
					float hard_shadow = step( shadowCoord.z, mean );
				#endif
				
				if ( hard_shadow == 1.0 ) {
					shadow = 1.0;
				} else {
					variance = max( variance, 0.0000001 );
					float d = shadowCoord.z - mean;
					float p_max = variance / ( variance + d * d );
					p_max = clamp( ( p_max - 0.3 ) / 0.65, 0.0, 1.0 );
					shadow = max( hard_shadow, p_max );
				}
			}
			return mix( 1.0, shadow, shadowIntensity );
		}
	#else
		float getShadow( sampler2D shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord ) {
			float shadow = 1.0;
			shadowCoord.xyz /= shadowCoord.w;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				shadowCoord.z -= shadowBias;
			#else
				shadowCoord.z += shadowBias;
			#endif
			bool inFrustum = shadowCoord.x >= 0.0 && shadowCoord.x <= 1.0 && shadowCoord.y >= 0.0 && shadowCoord.y <= 1.0;
			bool frustumTest = inFrustum && shadowCoord.z <= 1.0;
			if ( frustumTest ) {
				float depth = texture2D( shadowMap, shadowCoord.xy ).r;
				#ifdef USE_REVERSED_DEPTH_BUFFER
					shadow = step( depth, shadowCoord.z );
				#else
					shadow = step( shadowCoord.z, depth );
				#endif
			}
			return mix( 1.0, shadow, shadowIntensity );
		}
	#endif
	#if NUM_SUN_LIGHT_SHADOWS > 0
		float getSunShadow(
			#if defined( SHADOWMAP_TYPE_PCF )
				sampler2DShadow shadowMap,
			#else
				sampler2D shadowMap,
			#endif
			SunLightShadow sunLightShadow,
			int shadowIndex
		) {
			vec4 shadowWorldPosition = vec4( vSunShadowWorldPosition.xyz + vSunShadowWorldNormal * sunLightShadow.shadowNormalBias, 1.0 );
			float viewDepth = vSunShadowWorldPosition.w;
			int cascadeOffset = shadowIndex * SUN_LIGHT_CASCADES;
			float shadow = 1.0;
			for ( int i = SUN_LIGHT_CASCADES - 1; i >= 0; i -- ) {
				vec4 cascade = sunShadowCascade[ cascadeOffset + i ];
				if ( viewDepth >= cascade.x && viewDepth < cascade.y ) {
					float cascadeShadow = getShadow(
						shadowMap,
						sunLightShadow.shadowMapSize,
						sunLightShadow.shadowIntensity,
						sunLightShadow.shadowBias,
						sunLightShadow.shadowRadius,
						sunShadowMatrix[ cascadeOffset + i ] * shadowWorldPosition
					);
					shadow = mix( cascadeShadow, shadow, smoothstep( cascade.z, cascade.y, viewDepth ) );
				}
			}
			return shadow;
		}
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
	#if defined( SHADOWMAP_TYPE_PCF )
	float getPointShadow( samplerCubeShadow shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord, float shadowCameraNear, float shadowCameraFar ) {
		float shadow = 1.0;
		vec3 lightToPosition = shadowCoord.xyz;
		vec3 bd3D = normalize( lightToPosition );
		vec3 absVec = abs( lightToPosition );
		float viewSpaceZ = max( max( absVec.x, absVec.y ), absVec.z );
		if ( viewSpaceZ - shadowCameraFar <= 0.0 && viewSpaceZ - shadowCameraNear >= 0.0 ) {
			float lightDistance = length( lightToPosition );
			float depthRange = shadowCameraFar - shadowCameraNear;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				float depthA = - shadowCameraNear / depthRange - shadowBias;
				float depthB = shadowCameraNear * shadowCameraFar / ( depthRange * lightDistance );
			#else
				float depthA = shadowCameraFar / depthRange + shadowBias;
				float depthB = - shadowCameraNear * shadowCameraFar / ( depthRange * lightDistance );
			#endif
			float texelSize = shadowRadius / shadowMapSize.x;
			vec3 absDir = abs( bd3D );
			vec3 tangent = absDir.x > absDir.z ? vec3( 0.0, 1.0, 0.0 ) : vec3( 1.0, 0.0, 0.0 );
			tangent = normalize( cross( bd3D, tangent ) );
			vec3 bitangent = cross( bd3D, tangent );
			float phi = interleavedGradientNoise( gl_FragCoord.xy ) * PI2;
			shadow = 0.0;
			for ( int i = 0; i < 5; i ++ ) {
				vec2 offset = vogelDiskSample( i, 5, phi );
				vec3 direction = bd3D + ( tangent * offset.x + bitangent * offset.y ) * texelSize;
				vec3 absDirection = abs( direction );
				float dp = depthA + depthB / max( max( absDirection.x, absDirection.y ), absDirection.z );
				shadow += texture( shadowMap, vec4( direction, dp ) );
			}
			shadow *= 0.2;
		}
		return mix( 1.0, shadow, shadowIntensity );
	}
	#elif defined( SHADOWMAP_TYPE_BASIC )
	float getPointShadow( samplerCube shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord, float shadowCameraNear, float shadowCameraFar ) {
		float shadow = 1.0;
		vec3 lightToPosition = shadowCoord.xyz;
		vec3 absVec = abs( lightToPosition );
		float viewSpaceZ = max( max( absVec.x, absVec.y ), absVec.z );
		if ( viewSpaceZ - shadowCameraFar <= 0.0 && viewSpaceZ - shadowCameraNear >= 0.0 ) {
			float dp = ( shadowCameraFar * ( viewSpaceZ - shadowCameraNear ) ) / ( viewSpaceZ * ( shadowCameraFar - shadowCameraNear ) );
			dp += shadowBias;
			vec3 bd3D = normalize( lightToPosition );
			float depth = textureCube( shadowMap, bd3D ).r;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				depth = 1.0 - depth;
			#endif
			shadow = step( dp, depth );
		}
		return mix( 1.0, shadow, shadowIntensity );
	}
	#endif
	#endif
#endif`,qv=`#if NUM_SPOT_LIGHT_COORDS > 0
	uniform mat4 spotLightMatrix[ NUM_SPOT_LIGHT_COORDS ];
	varying vec4 vSpotLightCoord[ NUM_SPOT_LIGHT_COORDS ];
#endif
#ifdef USE_SHADOWMAP
	#if NUM_SUN_LIGHT_SHADOWS > 0
		varying vec4 vSunShadowWorldPosition;
		varying vec3 vSunShadowWorldNormal;
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
		uniform mat4 directionalShadowMatrix[ NUM_DIR_LIGHT_SHADOWS ];
		varying vec4 vDirectionalShadowCoord[ NUM_DIR_LIGHT_SHADOWS ];
		struct DirectionalLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform DirectionalLightShadow directionalLightShadows[ NUM_DIR_LIGHT_SHADOWS ];
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
		struct SpotLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SpotLightShadow spotLightShadows[ NUM_SPOT_LIGHT_SHADOWS ];
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		uniform mat4 pointShadowMatrix[ NUM_POINT_LIGHT_SHADOWS ];
		varying vec4 vPointShadowCoord[ NUM_POINT_LIGHT_SHADOWS ];
		struct PointLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
			float shadowCameraNear;
			float shadowCameraFar;
		};
		uniform PointLightShadow pointLightShadows[ NUM_POINT_LIGHT_SHADOWS ];
	#endif
#endif`,Yv=`#if ( defined( USE_SHADOWMAP ) && ( NUM_DIR_LIGHT_SHADOWS > 0 || NUM_SUN_LIGHT_SHADOWS > 0 || NUM_POINT_LIGHT_SHADOWS > 0 ) ) || ( NUM_SPOT_LIGHT_COORDS > 0 )
	#ifdef HAS_NORMAL
		vec3 shadowWorldNormal = transformNormalByInverseViewMatrix( transformedNormal, viewMatrix );
	#else
		vec3 shadowWorldNormal = vec3( 0.0 );
	#endif
	vec4 shadowWorldPosition;
#endif
#if defined( USE_SHADOWMAP )
	#if NUM_SUN_LIGHT_SHADOWS > 0
		vSunShadowWorldPosition = vec4( worldPosition.xyz, - mvPosition.z );
		vSunShadowWorldNormal = shadowWorldNormal;
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_DIR_LIGHT_SHADOWS; i ++ ) {
			shadowWorldPosition = worldPosition + vec4( shadowWorldNormal * directionalLightShadows[ i ].shadowNormalBias, 0 );
			vDirectionalShadowCoord[ i ] = directionalShadowMatrix[ i ] * shadowWorldPosition;
		}
		#pragma unroll_loop_end
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_POINT_LIGHT_SHADOWS; i ++ ) {
			shadowWorldPosition = worldPosition + vec4( shadowWorldNormal * pointLightShadows[ i ].shadowNormalBias, 0 );
			vPointShadowCoord[ i ] = pointShadowMatrix[ i ] * shadowWorldPosition;
		}
		#pragma unroll_loop_end
	#endif
#endif
#if NUM_SPOT_LIGHT_COORDS > 0
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHT_COORDS; i ++ ) {
		shadowWorldPosition = worldPosition;
		#if ( defined( USE_SHADOWMAP ) && UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
			shadowWorldPosition.xyz += shadowWorldNormal * spotLightShadows[ i ].shadowNormalBias;
		#endif
		vSpotLightCoord[ i ] = spotLightMatrix[ i ] * shadowWorldPosition;
	}
	#pragma unroll_loop_end
#endif`,$v=`float getShadowMask() {
	float shadow = 1.0;
	#ifdef USE_SHADOWMAP
	#if NUM_SUN_LIGHT_SHADOWS > 0
	SunLightShadow sunLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SUN_LIGHT_SHADOWS; i ++ ) {
		sunLight = sunLightShadows[ i ];
		shadow *= receiveShadow ? getSunShadow( sunShadowMap[ i ], sunLight, UNROLLED_LOOP_INDEX ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
	DirectionalLightShadow directionalLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_DIR_LIGHT_SHADOWS; i ++ ) {
		directionalLight = directionalLightShadows[ i ];
		shadow *= receiveShadow ? getShadow( directionalShadowMap[ i ], directionalLight.shadowMapSize, directionalLight.shadowIntensity, directionalLight.shadowBias, directionalLight.shadowRadius, vDirectionalShadowCoord[ i ] ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
	SpotLightShadow spotLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHT_SHADOWS; i ++ ) {
		spotLight = spotLightShadows[ i ];
		shadow *= receiveShadow ? getShadow( spotShadowMap[ i ], spotLight.shadowMapSize, spotLight.shadowIntensity, spotLight.shadowBias, spotLight.shadowRadius, vSpotLightCoord[ i ] ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0 && ( defined( SHADOWMAP_TYPE_PCF ) || defined( SHADOWMAP_TYPE_BASIC ) )
	PointLightShadow pointLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_POINT_LIGHT_SHADOWS; i ++ ) {
		pointLight = pointLightShadows[ i ];
		shadow *= receiveShadow ? getPointShadow( pointShadowMap[ i ], pointLight.shadowMapSize, pointLight.shadowIntensity, pointLight.shadowBias, pointLight.shadowRadius, vPointShadowCoord[ i ], pointLight.shadowCameraNear, pointLight.shadowCameraFar ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#endif
	return shadow;
}`,Zv=`#ifdef USE_SKINNING
	mat4 boneMatX = getBoneMatrix( skinIndex.x );
	mat4 boneMatY = getBoneMatrix( skinIndex.y );
	mat4 boneMatZ = getBoneMatrix( skinIndex.z );
	mat4 boneMatW = getBoneMatrix( skinIndex.w );
#endif`,Jv=`#ifdef USE_SKINNING
	uniform mat4 bindMatrix;
	uniform mat4 bindMatrixInverse;
	uniform highp sampler2D boneTexture;
	mat4 getBoneMatrix( const in float i ) {
		int size = textureSize( boneTexture, 0 ).x;
		int j = int( i ) * 4;
		int x = j % size;
		int y = j / size;
		vec4 v1 = texelFetch( boneTexture, ivec2( x, y ), 0 );
		vec4 v2 = texelFetch( boneTexture, ivec2( x + 1, y ), 0 );
		vec4 v3 = texelFetch( boneTexture, ivec2( x + 2, y ), 0 );
		vec4 v4 = texelFetch( boneTexture, ivec2( x + 3, y ), 0 );
		return mat4( v1, v2, v3, v4 );
	}
#endif`,Kv=`#ifdef USE_SKINNING
	vec4 skinVertex = bindMatrix * vec4( transformed, 1.0 );
	vec4 skinned = vec4( 0.0 );
	skinned += boneMatX * skinVertex * skinWeight.x;
	skinned += boneMatY * skinVertex * skinWeight.y;
	skinned += boneMatZ * skinVertex * skinWeight.z;
	skinned += boneMatW * skinVertex * skinWeight.w;
	transformed = ( bindMatrixInverse * skinned ).xyz;
#endif`,jv=`#ifdef USE_SKINNING
	mat4 skinMatrix = mat4( 0.0 );
	skinMatrix += skinWeight.x * boneMatX;
	skinMatrix += skinWeight.y * boneMatY;
	skinMatrix += skinWeight.z * boneMatZ;
	skinMatrix += skinWeight.w * boneMatW;
	skinMatrix = bindMatrixInverse * skinMatrix * bindMatrix;
	objectNormal = vec4( skinMatrix * vec4( objectNormal, 0.0 ) ).xyz;
	#ifdef USE_TANGENT
		objectTangent = vec4( skinMatrix * vec4( objectTangent, 0.0 ) ).xyz;
	#endif
#endif`,Qv=`float specularStrength;
#ifdef USE_SPECULARMAP
	vec4 texelSpecular = texture2D( specularMap, vSpecularMapUv );
	specularStrength = texelSpecular.r;
#else
	specularStrength = 1.0;
#endif`,tS=`#ifdef USE_SPECULARMAP
	uniform sampler2D specularMap;
#endif`,eS=`#if defined( TONE_MAPPING )
	gl_FragColor.rgb = toneMapping( gl_FragColor.rgb );
#endif`,nS=`#ifndef saturate
#define saturate( a ) clamp( a, 0.0, 1.0 )
#endif
uniform float toneMappingExposure;
vec3 LinearToneMapping( vec3 color ) {
	return saturate( toneMappingExposure * color );
}
vec3 ReinhardToneMapping( vec3 color ) {
	color *= toneMappingExposure;
	return saturate( color / ( vec3( 1.0 ) + color ) );
}
vec3 CineonToneMapping( vec3 color ) {
	color *= toneMappingExposure;
	color = max( vec3( 0.0 ), color - 0.004 );
	return pow( ( color * ( 6.2 * color + 0.5 ) ) / ( color * ( 6.2 * color + 1.7 ) + 0.06 ), vec3( 2.2 ) );
}
vec3 RRTAndODTFit( vec3 v ) {
	vec3 a = v * ( v + 0.0245786 ) - 0.000090537;
	vec3 b = v * ( 0.983729 * v + 0.4329510 ) + 0.238081;
	return a / b;
}
vec3 ACESFilmicToneMapping( vec3 color ) {
	const mat3 ACESInputMat = mat3(
		vec3( 0.59719, 0.07600, 0.02840 ),		vec3( 0.35458, 0.90834, 0.13383 ),
		vec3( 0.04823, 0.01566, 0.83777 )
	);
	const mat3 ACESOutputMat = mat3(
		vec3(  1.60475, -0.10208, -0.00327 ),		vec3( -0.53108,  1.10813, -0.07276 ),
		vec3( -0.07367, -0.00605,  1.07602 )
	);
	color *= toneMappingExposure / 0.6;
	color = ACESInputMat * color;
	color = RRTAndODTFit( color );
	color = ACESOutputMat * color;
	return saturate( color );
}
const mat3 LINEAR_REC2020_TO_LINEAR_SRGB = mat3(
	vec3( 1.6605, - 0.1246, - 0.0182 ),
	vec3( - 0.5876, 1.1329, - 0.1006 ),
	vec3( - 0.0728, - 0.0083, 1.1187 )
);
const mat3 LINEAR_SRGB_TO_LINEAR_REC2020 = mat3(
	vec3( 0.6274, 0.0691, 0.0164 ),
	vec3( 0.3293, 0.9195, 0.0880 ),
	vec3( 0.0433, 0.0113, 0.8956 )
);
vec3 agxDefaultContrastApprox( vec3 x ) {
	vec3 x2 = x * x;
	vec3 x4 = x2 * x2;
	return + 15.5 * x4 * x2
		- 40.14 * x4 * x
		+ 31.96 * x4
		- 6.868 * x2 * x
		+ 0.4298 * x2
		+ 0.1191 * x
		- 0.00232;
}
vec3 AgXToneMapping( vec3 color ) {
	const mat3 AgXInsetMatrix = mat3(
		vec3( 0.856627153315983, 0.137318972929847, 0.11189821299995 ),
		vec3( 0.0951212405381588, 0.761241990602591, 0.0767994186031903 ),
		vec3( 0.0482516061458583, 0.101439036467562, 0.811302368396859 )
	);
	const mat3 AgXOutsetMatrix = mat3(
		vec3( 1.1271005818144368, - 0.1413297634984383, - 0.14132976349843826 ),
		vec3( - 0.11060664309660323, 1.157823702216272, - 0.11060664309660294 ),
		vec3( - 0.016493938717834573, - 0.016493938717834257, 1.2519364065950405 )
	);
	const float AgxMinEv = - 12.47393;	const float AgxMaxEv = 4.026069;
	color *= toneMappingExposure;
	color = LINEAR_SRGB_TO_LINEAR_REC2020 * color;
	color = AgXInsetMatrix * color;
	color = max( color, 1e-10 );	color = log2( color );
	color = ( color - AgxMinEv ) / ( AgxMaxEv - AgxMinEv );
	color = clamp( color, 0.0, 1.0 );
	color = agxDefaultContrastApprox( color );
	color = AgXOutsetMatrix * color;
	color = pow( max( vec3( 0.0 ), color ), vec3( 2.2 ) );
	color = LINEAR_REC2020_TO_LINEAR_SRGB * color;
	color = clamp( color, 0.0, 1.0 );
	return color;
}
vec3 NeutralToneMapping( vec3 color ) {
	const float StartCompression = 0.8 - 0.04;
	const float Desaturation = 0.15;
	color *= toneMappingExposure;
	float x = min( color.r, min( color.g, color.b ) );
	float offset = x < 0.08 ? x - 6.25 * x * x : 0.04;
	color -= offset;
	float peak = max( color.r, max( color.g, color.b ) );
	if ( peak < StartCompression ) return color;
	float d = 1. - StartCompression;
	float newPeak = 1. - d * d / ( peak + d - StartCompression );
	color *= newPeak / peak;
	float g = 1. - 1. / ( Desaturation * ( peak - newPeak ) + 1. );
	return mix( color, vec3( newPeak ), g );
}
vec3 CustomToneMapping( vec3 color ) { return color; }`,iS=`#ifdef USE_TRANSMISSION
	material.transmission = transmission;
	material.transmissionAlpha = 1.0;
	material.thickness = thickness;
	material.attenuationDistance = attenuationDistance;
	material.attenuationColor = attenuationColor;
	#ifdef USE_TRANSMISSIONMAP
		material.transmission *= texture2D( transmissionMap, vTransmissionMapUv ).r;
	#endif
	#ifdef USE_THICKNESSMAP
		material.thickness *= texture2D( thicknessMap, vThicknessMapUv ).g;
	#endif
	vec3 pos = vWorldPosition;
	vec3 v = normalize( cameraPosition - pos );
	vec3 n = transformNormalByInverseViewMatrix( normal, viewMatrix );
	vec4 transmitted = getIBLVolumeRefraction(
		n, v, material.roughness, material.diffuseContribution, material.specularColorBlended, material.specularF90,
		pos, modelMatrix, viewMatrix, projectionMatrix, material.dispersion, material.ior, material.thickness,
		material.attenuationColor, material.attenuationDistance );
	material.transmissionAlpha = mix( material.transmissionAlpha, transmitted.a, material.transmission );
	totalDiffuse = mix( totalDiffuse, transmitted.rgb, material.transmission );
#endif`,sS=`#ifdef USE_TRANSMISSION
	uniform float transmission;
	uniform float thickness;
	uniform float attenuationDistance;
	uniform vec3 attenuationColor;
	#ifdef USE_TRANSMISSIONMAP
		uniform sampler2D transmissionMap;
	#endif
	#ifdef USE_THICKNESSMAP
		uniform sampler2D thicknessMap;
	#endif
	uniform vec2 transmissionSamplerSize;
	uniform sampler2D transmissionSamplerMap;
	uniform mat4 modelMatrix;
	uniform mat4 projectionMatrix;
	varying vec3 vWorldPosition;
	float w0( float a ) {
		return ( 1.0 / 6.0 ) * ( a * ( a * ( - a + 3.0 ) - 3.0 ) + 1.0 );
	}
	float w1( float a ) {
		return ( 1.0 / 6.0 ) * ( a *  a * ( 3.0 * a - 6.0 ) + 4.0 );
	}
	float w2( float a ){
		return ( 1.0 / 6.0 ) * ( a * ( a * ( - 3.0 * a + 3.0 ) + 3.0 ) + 1.0 );
	}
	float w3( float a ) {
		return ( 1.0 / 6.0 ) * ( a * a * a );
	}
	float g0( float a ) {
		return w0( a ) + w1( a );
	}
	float g1( float a ) {
		return w2( a ) + w3( a );
	}
	float h0( float a ) {
		return - 1.0 + w1( a ) / ( w0( a ) + w1( a ) );
	}
	float h1( float a ) {
		return 1.0 + w3( a ) / ( w2( a ) + w3( a ) );
	}
	vec4 bicubic( sampler2D tex, vec2 uv, vec4 texelSize, float lod ) {
		uv = uv * texelSize.zw + 0.5;
		vec2 iuv = floor( uv );
		vec2 fuv = fract( uv );
		float g0x = g0( fuv.x );
		float g1x = g1( fuv.x );
		float h0x = h0( fuv.x );
		float h1x = h1( fuv.x );
		float h0y = h0( fuv.y );
		float h1y = h1( fuv.y );
		vec2 p0 = ( vec2( iuv.x + h0x, iuv.y + h0y ) - 0.5 ) * texelSize.xy;
		vec2 p1 = ( vec2( iuv.x + h1x, iuv.y + h0y ) - 0.5 ) * texelSize.xy;
		vec2 p2 = ( vec2( iuv.x + h0x, iuv.y + h1y ) - 0.5 ) * texelSize.xy;
		vec2 p3 = ( vec2( iuv.x + h1x, iuv.y + h1y ) - 0.5 ) * texelSize.xy;
		return g0( fuv.y ) * ( g0x * textureLod( tex, p0, lod ) + g1x * textureLod( tex, p1, lod ) ) +
			g1( fuv.y ) * ( g0x * textureLod( tex, p2, lod ) + g1x * textureLod( tex, p3, lod ) );
	}
	vec4 textureBicubic( sampler2D sampler, vec2 uv, float lod ) {
		vec2 fLodSize = vec2( textureSize( sampler, int( lod ) ) );
		vec2 cLodSize = vec2( textureSize( sampler, int( lod + 1.0 ) ) );
		vec2 fLodSizeInv = 1.0 / fLodSize;
		vec2 cLodSizeInv = 1.0 / cLodSize;
		vec4 fSample = bicubic( sampler, uv, vec4( fLodSizeInv, fLodSize ), floor( lod ) );
		vec4 cSample = bicubic( sampler, uv, vec4( cLodSizeInv, cLodSize ), ceil( lod ) );
		return mix( fSample, cSample, fract( lod ) );
	}
	vec3 getVolumeTransmissionRay( const in vec3 n, const in vec3 v, const in float thickness, const in float ior, const in mat4 modelMatrix ) {
		vec3 refractionVector = refract( - v, normalize( n ), 1.0 / ior );
		vec3 modelScale;
		modelScale.x = length( vec3( modelMatrix[ 0 ].xyz ) );
		modelScale.y = length( vec3( modelMatrix[ 1 ].xyz ) );
		modelScale.z = length( vec3( modelMatrix[ 2 ].xyz ) );
		return normalize( refractionVector ) * thickness * modelScale;
	}
	float applyIorToRoughness( const in float roughness, const in float ior ) {
		return roughness * clamp( ior * 2.0 - 2.0, 0.0, 1.0 );
	}
	vec4 getTransmissionSample( const in vec2 fragCoord, const in float roughness, const in float ior ) {
		float lod = log2( transmissionSamplerSize.x ) * applyIorToRoughness( roughness, ior );
		return textureBicubic( transmissionSamplerMap, fragCoord.xy, lod );
	}
	vec3 volumeAttenuation( const in float transmissionDistance, const in vec3 attenuationColor, const in float attenuationDistance ) {
		if ( isinf( attenuationDistance ) ) {
			return vec3( 1.0 );
		} else {
			vec3 attenuationCoefficient = -log( attenuationColor ) / attenuationDistance;
			vec3 transmittance = exp( - attenuationCoefficient * transmissionDistance );			return transmittance;
		}
	}
	vec4 getIBLVolumeRefraction( const in vec3 n, const in vec3 v, const in float roughness, const in vec3 diffuseColor,
		const in vec3 specularColor, const in float specularF90, const in vec3 position, const in mat4 modelMatrix,
		const in mat4 viewMatrix, const in mat4 projMatrix, const in float dispersion, const in float ior, const in float thickness,
		const in vec3 attenuationColor, const in float attenuationDistance ) {
		vec4 transmittedLight;
		vec3 transmittance;
		#ifdef USE_DISPERSION
			float halfSpread = ( ior - 1.0 ) * 0.025 * dispersion;
			vec3 iors = vec3( ior - halfSpread, ior, ior + halfSpread );
			for ( int i = 0; i < 3; i ++ ) {
				vec3 transmissionRay = getVolumeTransmissionRay( n, v, thickness, iors[ i ], modelMatrix );
				vec3 refractedRayExit = position + transmissionRay;
				vec4 ndcPos = projMatrix * viewMatrix * vec4( refractedRayExit, 1.0 );
				vec2 refractionCoords = ndcPos.xy / ndcPos.w;
				refractionCoords += 1.0;
				refractionCoords /= 2.0;
				vec4 transmissionSample = getTransmissionSample( refractionCoords, roughness, iors[ i ] );
				transmittedLight[ i ] = transmissionSample[ i ];
				transmittedLight.a += transmissionSample.a;
				transmittance[ i ] = diffuseColor[ i ] * volumeAttenuation( length( transmissionRay ), attenuationColor, attenuationDistance )[ i ];
			}
			transmittedLight.a /= 3.0;
		#else
			vec3 transmissionRay = getVolumeTransmissionRay( n, v, thickness, ior, modelMatrix );
			vec3 refractedRayExit = position + transmissionRay;
			vec4 ndcPos = projMatrix * viewMatrix * vec4( refractedRayExit, 1.0 );
			vec2 refractionCoords = ndcPos.xy / ndcPos.w;
			refractionCoords += 1.0;
			refractionCoords /= 2.0;
			transmittedLight = getTransmissionSample( refractionCoords, roughness, ior );
			transmittance = diffuseColor * volumeAttenuation( length( transmissionRay ), attenuationColor, attenuationDistance );
		#endif
		vec3 attenuatedColor = transmittance * transmittedLight.rgb;
		vec3 F = EnvironmentBRDF( n, v, specularColor, specularF90, roughness );
		float transmittanceFactor = ( transmittance.r + transmittance.g + transmittance.b ) / 3.0;
		return vec4( ( 1.0 - F ) * attenuatedColor, 1.0 - ( 1.0 - transmittedLight.a ) * transmittanceFactor );
	}
#endif`,rS=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	varying vec2 vUv;
#endif
#ifdef USE_MAP
	varying vec2 vMapUv;
#endif
#ifdef USE_ALPHAMAP
	varying vec2 vAlphaMapUv;
#endif
#ifdef USE_LIGHTMAP
	varying vec2 vLightMapUv;
#endif
#ifdef USE_AOMAP
	varying vec2 vAoMapUv;
#endif
#ifdef USE_BUMPMAP
	varying vec2 vBumpMapUv;
#endif
#ifdef USE_NORMALMAP
	varying vec2 vNormalMapUv;
#endif
#ifdef USE_EMISSIVEMAP
	varying vec2 vEmissiveMapUv;
#endif
#ifdef USE_METALNESSMAP
	varying vec2 vMetalnessMapUv;
#endif
#ifdef USE_ROUGHNESSMAP
	varying vec2 vRoughnessMapUv;
#endif
#ifdef USE_DIFFUSE_ROUGHNESSMAP
	varying vec2 vDiffuseRoughnessMapUv;
#endif
#ifdef USE_ANISOTROPYMAP
	varying vec2 vAnisotropyMapUv;
#endif
#ifdef USE_CLEARCOATMAP
	varying vec2 vClearcoatMapUv;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	varying vec2 vClearcoatNormalMapUv;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	varying vec2 vClearcoatRoughnessMapUv;
#endif
#ifdef USE_IRIDESCENCEMAP
	varying vec2 vIridescenceMapUv;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	varying vec2 vIridescenceThicknessMapUv;
#endif
#ifdef USE_SHEEN_COLORMAP
	varying vec2 vSheenColorMapUv;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	varying vec2 vSheenRoughnessMapUv;
#endif
#ifdef USE_SPECULARMAP
	varying vec2 vSpecularMapUv;
#endif
#ifdef USE_SPECULAR_COLORMAP
	varying vec2 vSpecularColorMapUv;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	varying vec2 vSpecularIntensityMapUv;
#endif
#ifdef USE_TRANSMISSIONMAP
	uniform mat3 transmissionMapTransform;
	varying vec2 vTransmissionMapUv;
#endif
#ifdef USE_THICKNESSMAP
	uniform mat3 thicknessMapTransform;
	varying vec2 vThicknessMapUv;
#endif`,oS=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	varying vec2 vUv;
#endif
#ifdef USE_MAP
	uniform mat3 mapTransform;
	varying vec2 vMapUv;
#endif
#ifdef USE_ALPHAMAP
	uniform mat3 alphaMapTransform;
	varying vec2 vAlphaMapUv;
#endif
#ifdef USE_LIGHTMAP
	uniform mat3 lightMapTransform;
	varying vec2 vLightMapUv;
#endif
#ifdef USE_AOMAP
	uniform mat3 aoMapTransform;
	varying vec2 vAoMapUv;
#endif
#ifdef USE_BUMPMAP
	uniform mat3 bumpMapTransform;
	varying vec2 vBumpMapUv;
#endif
#ifdef USE_NORMALMAP
	uniform mat3 normalMapTransform;
	varying vec2 vNormalMapUv;
#endif
#ifdef USE_DISPLACEMENTMAP
	uniform mat3 displacementMapTransform;
	varying vec2 vDisplacementMapUv;
#endif
#ifdef USE_EMISSIVEMAP
	uniform mat3 emissiveMapTransform;
	varying vec2 vEmissiveMapUv;
#endif
#ifdef USE_METALNESSMAP
	uniform mat3 metalnessMapTransform;
	varying vec2 vMetalnessMapUv;
#endif
#ifdef USE_ROUGHNESSMAP
	uniform mat3 roughnessMapTransform;
	varying vec2 vRoughnessMapUv;
#endif
#ifdef USE_DIFFUSE_ROUGHNESSMAP
	uniform mat3 diffuseRoughnessMapTransform;
	varying vec2 vDiffuseRoughnessMapUv;
#endif
#ifdef USE_ANISOTROPYMAP
	uniform mat3 anisotropyMapTransform;
	varying vec2 vAnisotropyMapUv;
#endif
#ifdef USE_CLEARCOATMAP
	uniform mat3 clearcoatMapTransform;
	varying vec2 vClearcoatMapUv;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	uniform mat3 clearcoatNormalMapTransform;
	varying vec2 vClearcoatNormalMapUv;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	uniform mat3 clearcoatRoughnessMapTransform;
	varying vec2 vClearcoatRoughnessMapUv;
#endif
#ifdef USE_SHEEN_COLORMAP
	uniform mat3 sheenColorMapTransform;
	varying vec2 vSheenColorMapUv;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	uniform mat3 sheenRoughnessMapTransform;
	varying vec2 vSheenRoughnessMapUv;
#endif
#ifdef USE_IRIDESCENCEMAP
	uniform mat3 iridescenceMapTransform;
	varying vec2 vIridescenceMapUv;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	uniform mat3 iridescenceThicknessMapTransform;
	varying vec2 vIridescenceThicknessMapUv;
#endif
#ifdef USE_SPECULARMAP
	uniform mat3 specularMapTransform;
	varying vec2 vSpecularMapUv;
#endif
#ifdef USE_SPECULAR_COLORMAP
	uniform mat3 specularColorMapTransform;
	varying vec2 vSpecularColorMapUv;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	uniform mat3 specularIntensityMapTransform;
	varying vec2 vSpecularIntensityMapUv;
#endif
#ifdef USE_TRANSMISSIONMAP
	uniform mat3 transmissionMapTransform;
	varying vec2 vTransmissionMapUv;
#endif
#ifdef USE_THICKNESSMAP
	uniform mat3 thicknessMapTransform;
	varying vec2 vThicknessMapUv;
#endif`,aS=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	vUv = vec3( uv, 1 ).xy;
#endif
#ifdef USE_MAP
	vMapUv = ( mapTransform * vec3( MAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ALPHAMAP
	vAlphaMapUv = ( alphaMapTransform * vec3( ALPHAMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_LIGHTMAP
	vLightMapUv = ( lightMapTransform * vec3( LIGHTMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_AOMAP
	vAoMapUv = ( aoMapTransform * vec3( AOMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_BUMPMAP
	vBumpMapUv = ( bumpMapTransform * vec3( BUMPMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_NORMALMAP
	vNormalMapUv = ( normalMapTransform * vec3( NORMALMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_DISPLACEMENTMAP
	vDisplacementMapUv = ( displacementMapTransform * vec3( DISPLACEMENTMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_EMISSIVEMAP
	vEmissiveMapUv = ( emissiveMapTransform * vec3( EMISSIVEMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_METALNESSMAP
	vMetalnessMapUv = ( metalnessMapTransform * vec3( METALNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ROUGHNESSMAP
	vRoughnessMapUv = ( roughnessMapTransform * vec3( ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_DIFFUSE_ROUGHNESSMAP
	vDiffuseRoughnessMapUv = ( diffuseRoughnessMapTransform * vec3( DIFFUSE_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ANISOTROPYMAP
	vAnisotropyMapUv = ( anisotropyMapTransform * vec3( ANISOTROPYMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOATMAP
	vClearcoatMapUv = ( clearcoatMapTransform * vec3( CLEARCOATMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	vClearcoatNormalMapUv = ( clearcoatNormalMapTransform * vec3( CLEARCOAT_NORMALMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	vClearcoatRoughnessMapUv = ( clearcoatRoughnessMapTransform * vec3( CLEARCOAT_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_IRIDESCENCEMAP
	vIridescenceMapUv = ( iridescenceMapTransform * vec3( IRIDESCENCEMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	vIridescenceThicknessMapUv = ( iridescenceThicknessMapTransform * vec3( IRIDESCENCE_THICKNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SHEEN_COLORMAP
	vSheenColorMapUv = ( sheenColorMapTransform * vec3( SHEEN_COLORMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	vSheenRoughnessMapUv = ( sheenRoughnessMapTransform * vec3( SHEEN_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULARMAP
	vSpecularMapUv = ( specularMapTransform * vec3( SPECULARMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULAR_COLORMAP
	vSpecularColorMapUv = ( specularColorMapTransform * vec3( SPECULAR_COLORMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	vSpecularIntensityMapUv = ( specularIntensityMapTransform * vec3( SPECULAR_INTENSITYMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_TRANSMISSIONMAP
	vTransmissionMapUv = ( transmissionMapTransform * vec3( TRANSMISSIONMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_THICKNESSMAP
	vThicknessMapUv = ( thicknessMapTransform * vec3( THICKNESSMAP_UV, 1 ) ).xy;
#endif`,lS=`#if defined( USE_ENVMAP ) || defined( DISTANCE ) || defined ( USE_SHADOWMAP ) || defined ( USE_TRANSMISSION ) || NUM_SPOT_LIGHT_COORDS > 0
	vec4 worldPosition = vec4( transformed, 1.0 );
	#ifdef USE_BATCHING
		worldPosition = batchingMatrix * worldPosition;
	#endif
	#ifdef USE_INSTANCING
		worldPosition = instanceMatrix * worldPosition;
	#endif
	worldPosition = modelMatrix * worldPosition;
#endif`,cS=`varying vec2 vUv;
uniform mat3 uvTransform;
void main() {
	vUv = ( uvTransform * vec3( uv, 1 ) ).xy;
	gl_Position = vec4( position.xy, 1.0, 1.0 );
}`,hS=`uniform sampler2D t2D;
uniform float backgroundIntensity;
varying vec2 vUv;
void main() {
	vec4 texColor = texture2D( t2D, vUv );
	#ifdef DECODE_VIDEO_TEXTURE
		texColor = vec4( mix( pow( texColor.rgb * 0.9478672986 + vec3( 0.0521327014 ), vec3( 2.4 ) ), texColor.rgb * 0.0773993808, vec3( lessThanEqual( texColor.rgb, vec3( 0.04045 ) ) ) ), texColor.w );
	#endif
	texColor.rgb *= backgroundIntensity;
	gl_FragColor = texColor;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,uS=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,dS=`uniform float backgroundBlurriness;
uniform float backgroundIntensity;
uniform mat3 backgroundRotation;
varying vec3 vWorldDirection;
#include <envmap_common_pars_fragment>
void main() {
	#ifdef ENVMAP_TYPE_PMREM
		vec4 texColor = textureLod( envMap, backgroundRotation * vWorldDirection, roughnessToMip( backgroundBlurriness ) );
	#else
		vec4 texColor = textureCube( envMap, backgroundRotation * vWorldDirection );
	#endif
	texColor.rgb *= backgroundIntensity;
	gl_FragColor = texColor;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,fS=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,pS=`uniform samplerCube tCube;
uniform float tFlip;
uniform float opacity;
varying vec3 vWorldDirection;
void main() {
	vec4 texColor = textureCube( tCube, vec3( tFlip * vWorldDirection.x, vWorldDirection.yz ) );
	gl_FragColor = texColor;
	gl_FragColor.a *= opacity;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,mS=`#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
varying vec2 vHighPrecisionZW;
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <skinbase_vertex>
	#include <morphinstance_vertex>
	#ifdef USE_DISPLACEMENTMAP
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vHighPrecisionZW = gl_Position.zw;
}`,gS=`#if DEPTH_PACKING == 3200
	uniform float opacity;
#endif
#include <common>
#include <packing>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
varying vec2 vHighPrecisionZW;
void main() {
	vec4 diffuseColor = vec4( 1.0 );
	#include <clipping_planes_fragment>
	#if DEPTH_PACKING == 3200
		diffuseColor.a = opacity;
	#endif
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <logdepthbuf_fragment>
	#ifdef USE_REVERSED_DEPTH_BUFFER
		float fragCoordZ = vHighPrecisionZW[ 0 ] / vHighPrecisionZW[ 1 ];
	#else
		float fragCoordZ = 0.5 * vHighPrecisionZW[ 0 ] / vHighPrecisionZW[ 1 ] + 0.5;
	#endif
	#if DEPTH_PACKING == 3200
		gl_FragColor = vec4( vec3( 1.0 - fragCoordZ ), opacity );
	#elif DEPTH_PACKING == 3201
		gl_FragColor = packDepthToRGBA( fragCoordZ );
	#elif DEPTH_PACKING == 3202
		gl_FragColor = vec4( packDepthToRGB( fragCoordZ ), 1.0 );
	#elif DEPTH_PACKING == 3203
		gl_FragColor = vec4( packDepthToRG( fragCoordZ ), 0.0, 1.0 );
	#endif
}`,_S=`#define DISTANCE
varying vec3 vWorldPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <skinbase_vertex>
	#include <morphinstance_vertex>
	#ifdef USE_DISPLACEMENTMAP
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <worldpos_vertex>
	#include <clipping_planes_vertex>
	vWorldPosition = worldPosition.xyz;
}`,xS=`#define DISTANCE
uniform vec3 referencePosition;
uniform float nearDistance;
uniform float farDistance;
varying vec3 vWorldPosition;
#include <common>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( 1.0 );
	#include <clipping_planes_fragment>
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	float dist = length( vWorldPosition - referencePosition );
	dist = ( dist - nearDistance ) / ( farDistance - nearDistance );
	dist = saturate( dist );
	gl_FragColor = vec4( dist, 0.0, 0.0, 1.0 );
}`,yS=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
}`,vS=`uniform sampler2D tEquirect;
varying vec3 vWorldDirection;
#include <common>
void main() {
	vec3 direction = normalize( vWorldDirection );
	vec2 sampleUV = equirectUv( direction );
	gl_FragColor = texture2D( tEquirect, sampleUV );
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,SS=`uniform float scale;
attribute float lineDistance;
varying float vLineDistance;
#include <common>
#include <uv_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	vLineDistance = scale * lineDistance;
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
}`,MS=`uniform vec3 diffuse;
uniform float opacity;
uniform float dashSize;
uniform float totalSize;
varying float vLineDistance;
#include <common>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	if ( mod( vLineDistance, totalSize ) > dashSize ) {
		discard;
	}
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,bS=`#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#if defined ( USE_ENVMAP ) || defined ( USE_SKINNING )
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinbase_vertex>
		#include <skinnormal_vertex>
		#include <defaultnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <fog_vertex>
}`,wS=`uniform vec3 diffuse;
uniform float opacity;
#ifndef FLAT_SHADED
	varying vec3 vNormal;
#endif
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <fog_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	#ifdef USE_LIGHTMAP
		vec4 lightMapTexel = texture2D( lightMap, vLightMapUv );
		reflectedLight.indirectDiffuse += lightMapTexel.rgb * lightMapIntensity * RECIPROCAL_PI;
	#else
		reflectedLight.indirectDiffuse += vec3( 1.0 );
	#endif
	#include <aomap_fragment>
	reflectedLight.indirectDiffuse *= diffuseColor.rgb;
	vec3 outgoingLight = reflectedLight.indirectDiffuse;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,AS=`#define LAMBERT
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,TS=`#define LAMBERT
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float opacity;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <envmap_physical_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_lambert_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_lambert_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + totalEmissiveRadiance;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,ES=`#define MATCAP
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <color_pars_vertex>
#include <displacementmap_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
	vViewPosition = - mvPosition.xyz;
}`,CS=`#define MATCAP
uniform vec3 diffuse;
uniform float opacity;
uniform sampler2D matcap;
varying vec3 vViewPosition;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <normal_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	vec3 viewDir = normalize( vViewPosition );
	vec3 x = normalize( vec3( viewDir.z, 0.0, - viewDir.x ) );
	vec3 y = cross( viewDir, x );
	vec2 uv = vec2( dot( x, normal ), dot( y, normal ) ) * 0.495 + 0.5;
	#ifdef USE_MATCAP
		vec4 matcapColor = texture2D( matcap, uv );
	#else
		vec4 matcapColor = vec4( vec3( mix( 0.2, 0.8, uv.y ) ), 1.0 );
	#endif
	vec3 outgoingLight = diffuseColor.rgb * matcapColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,RS=`#define NORMAL
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	varying vec3 vViewPosition;
#endif
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	vViewPosition = - mvPosition.xyz;
#endif
}`,PS=`#define NORMAL
uniform float opacity;
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	varying vec3 vViewPosition;
#endif
#include <uv_pars_fragment>
#include <normal_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( 0.0, 0.0, 0.0, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	gl_FragColor = vec4( normalize( normal ) * 0.5 + 0.5, diffuseColor.a );
	#ifdef OPAQUE
		gl_FragColor.a = 1.0;
	#endif
}`,IS=`#define PHONG
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,LS=`#define PHONG
uniform vec3 diffuse;
uniform vec3 emissive;
uniform vec3 specular;
uniform float shininess;
uniform float opacity;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <envmap_physical_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_phong_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_phong_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + reflectedLight.directSpecular + reflectedLight.indirectSpecular + totalEmissiveRadiance;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,DS=`#define STANDARD
varying vec3 vViewPosition;
#ifdef USE_TRANSMISSION
	varying vec3 vWorldPosition;
#endif
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
#ifdef USE_TRANSMISSION
	vWorldPosition = worldPosition.xyz;
#endif
}`,NS=`#define STANDARD
#ifdef PHYSICAL
	#define IOR
	#define USE_SPECULAR
#endif
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float roughness;
uniform float metalness;
uniform float opacity;
#ifdef IOR
	uniform float ior;
#endif
#ifdef USE_SPECULAR
	uniform float specularIntensity;
	uniform vec3 specularColor;
	#ifdef USE_SPECULAR_COLORMAP
		uniform sampler2D specularColorMap;
	#endif
	#ifdef USE_SPECULAR_INTENSITYMAP
		uniform sampler2D specularIntensityMap;
	#endif
#endif
#ifdef USE_CLEARCOAT
	uniform float clearcoat;
	uniform float clearcoatRoughness;
#endif
#ifdef USE_DIFFUSE_ROUGHNESS
	uniform float diffuseRoughness;
	#ifdef USE_DIFFUSE_ROUGHNESSMAP
		uniform sampler2D diffuseRoughnessMap;
	#endif
#endif
#ifdef USE_DISPERSION
	uniform float dispersion;
#endif
#ifdef USE_RETROREFLECTION
	uniform float retroreflectivity;
#endif
#ifdef USE_IRIDESCENCE
	uniform float iridescence;
	uniform float iridescenceIOR;
	uniform float iridescenceThicknessMinimum;
	uniform float iridescenceThicknessMaximum;
#endif
#ifdef USE_SHEEN
	uniform vec3 sheenColor;
	uniform float sheenRoughness;
	#ifdef USE_SHEEN_COLORMAP
		uniform sampler2D sheenColorMap;
	#endif
	#ifdef USE_SHEEN_ROUGHNESSMAP
		uniform sampler2D sheenRoughnessMap;
	#endif
#endif
#ifdef USE_ANISOTROPY
	uniform vec2 anisotropyVector;
	#ifdef USE_ANISOTROPYMAP
		uniform sampler2D anisotropyMap;
	#endif
#endif
varying vec3 vViewPosition;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <iridescence_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_physical_pars_fragment>
#include <fog_pars_fragment>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_physical_pars_fragment>
#include <transmission_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <clearcoat_pars_fragment>
#include <iridescence_pars_fragment>
#include <roughnessmap_pars_fragment>
#include <metalnessmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <roughnessmap_fragment>
	#include <metalnessmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <clearcoat_normal_fragment_begin>
	#include <clearcoat_normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_physical_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 totalDiffuse = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse;
	vec3 totalSpecular = reflectedLight.directSpecular + reflectedLight.indirectSpecular;
	#include <transmission_fragment>
	vec3 outgoingLight = totalDiffuse + totalSpecular + totalEmissiveRadiance;
	#ifdef USE_SHEEN
 
		outgoingLight = outgoingLight + sheenSpecularDirect + sheenSpecularIndirect;
 
 	#endif
	#ifdef USE_CLEARCOAT
		float dotNVcc = saturate( dot( geometryClearcoatNormal, geometryViewDir ) );
		vec3 Fcc = F_Schlick( material.clearcoatF0, material.clearcoatF90, dotNVcc );
		outgoingLight = outgoingLight * ( 1.0 - material.clearcoat * Fcc ) + ( clearcoatSpecularDirect + clearcoatSpecularIndirect ) * material.clearcoat;
	#endif
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,US=`#define TOON
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,FS=`#define TOON
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float opacity;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <gradientmap_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_toon_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_toon_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + totalEmissiveRadiance;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,OS=`uniform float size;
uniform float scale;
#include <common>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
#ifdef USE_POINTS_UV
	varying vec2 vUv;
	uniform mat3 uvTransform;
#endif
void main() {
	#ifdef USE_POINTS_UV
		vUv = ( uvTransform * vec3( uv, 1 ) ).xy;
	#endif
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <project_vertex>
	gl_PointSize = size;
	#ifdef USE_SIZEATTENUATION
		bool isPerspective = isPerspectiveMatrix( projectionMatrix );
		if ( isPerspective ) gl_PointSize *= ( scale / - mvPosition.z );
	#endif
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <worldpos_vertex>
	#include <fog_vertex>
}`,BS=`uniform vec3 diffuse;
uniform float opacity;
#include <common>
#include <color_pars_fragment>
#include <map_particle_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_particle_fragment>
	#include <color_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,kS=`#include <common>
#include <batching_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <shadowmap_pars_vertex>
void main() {
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,zS=`uniform vec3 color;
uniform float opacity;
#include <common>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <logdepthbuf_pars_fragment>
#include <shadowmap_pars_fragment>
#include <shadowmask_pars_fragment>
void main() {
	#include <logdepthbuf_fragment>
	gl_FragColor = vec4( color, opacity * ( 1.0 - getShadowMask() ) );
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,VS=`uniform float rotation;
uniform vec2 center;
#include <common>
#include <uv_pars_vertex>
#include <fog_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	vec4 mvPosition = modelViewMatrix[ 3 ];
	vec2 scale = vec2( length( modelMatrix[ 0 ].xyz ), length( modelMatrix[ 1 ].xyz ) );
	#ifndef USE_SIZEATTENUATION
		bool isPerspective = isPerspectiveMatrix( projectionMatrix );
		if ( isPerspective ) scale *= - mvPosition.z;
	#endif
	vec2 alignedPosition = ( position.xy - ( center - vec2( 0.5 ) ) ) * scale;
	vec2 rotatedPosition;
	rotatedPosition.x = cos( rotation ) * alignedPosition.x - sin( rotation ) * alignedPosition.y;
	rotatedPosition.y = sin( rotation ) * alignedPosition.x + cos( rotation ) * alignedPosition.y;
	mvPosition.xy += rotatedPosition;
	gl_Position = projectionMatrix * mvPosition;
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
}`,GS=`uniform vec3 diffuse;
uniform float opacity;
#include <common>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
}`,he={alphahash_fragment:hy,alphahash_pars_fragment:uy,alphamap_fragment:dy,alphamap_pars_fragment:fy,alphatest_fragment:py,alphatest_pars_fragment:my,aomap_fragment:gy,aomap_pars_fragment:_y,batching_pars_vertex:xy,batching_vertex:yy,begin_vertex:vy,beginnormal_vertex:Sy,bsdfs:My,iridescence_fragment:by,bumpmap_pars_fragment:wy,clipping_planes_fragment:Ay,clipping_planes_pars_fragment:Ty,clipping_planes_pars_vertex:Ey,clipping_planes_vertex:Cy,color_fragment:Ry,color_pars_fragment:Py,color_pars_vertex:Iy,color_vertex:Ly,common:Dy,defaultnormal_vertex:Ny,displacementmap_pars_vertex:Uy,displacementmap_vertex:Fy,emissivemap_fragment:Oy,emissivemap_pars_fragment:By,colorspace_fragment:ky,colorspace_pars_fragment:zy,envmap_fragment:Vy,envmap_common_pars_fragment:Gy,envmap_pars_fragment:Hy,envmap_pars_vertex:Wy,envmap_physical_pars_fragment:ev,envmap_vertex:Xy,fog_vertex:qy,fog_pars_vertex:Yy,fog_fragment:$y,fog_pars_fragment:Zy,gradientmap_pars_fragment:Jy,lightmap_pars_fragment:Ky,lights_lambert_fragment:jy,lights_lambert_pars_fragment:Qy,lights_pars_begin:tv,lights_toon_fragment:nv,lights_toon_pars_fragment:iv,lights_phong_fragment:sv,lights_phong_pars_fragment:rv,lights_physical_fragment:ov,lights_physical_pars_fragment:av,lights_fragment_begin:lv,lights_fragment_maps:cv,lights_fragment_end:hv,lightprobes_pars_fragment:uv,logdepthbuf_fragment:dv,logdepthbuf_pars_fragment:fv,logdepthbuf_pars_vertex:pv,logdepthbuf_vertex:mv,map_fragment:gv,map_pars_fragment:_v,map_particle_fragment:xv,map_particle_pars_fragment:yv,metalnessmap_fragment:vv,metalnessmap_pars_fragment:Sv,morphinstance_vertex:Mv,morphcolor_vertex:bv,morphnormal_vertex:wv,morphtarget_pars_vertex:Av,morphtarget_vertex:Tv,normal_fragment_begin:Ev,normal_fragment_maps:Cv,normal_pars_fragment:Rv,normal_pars_vertex:Pv,normal_vertex:Iv,normalmap_pars_fragment:Lv,clearcoat_normal_fragment_begin:Dv,clearcoat_normal_fragment_maps:Nv,clearcoat_pars_fragment:Uv,iridescence_pars_fragment:Fv,opaque_fragment:Ov,packing:Bv,premultiplied_alpha_fragment:kv,project_vertex:zv,dithering_fragment:Vv,dithering_pars_fragment:Gv,roughnessmap_fragment:Hv,roughnessmap_pars_fragment:Wv,shadowmap_pars_fragment:Xv,shadowmap_pars_vertex:qv,shadowmap_vertex:Yv,shadowmask_pars_fragment:$v,skinbase_vertex:Zv,skinning_pars_vertex:Jv,skinning_vertex:Kv,skinnormal_vertex:jv,specularmap_fragment:Qv,specularmap_pars_fragment:tS,tonemapping_fragment:eS,tonemapping_pars_fragment:nS,transmission_fragment:iS,transmission_pars_fragment:sS,uv_pars_fragment:rS,uv_pars_vertex:oS,uv_vertex:aS,worldpos_vertex:lS,background_vert:cS,background_frag:hS,backgroundCube_vert:uS,backgroundCube_frag:dS,cube_vert:fS,cube_frag:pS,depth_vert:mS,depth_frag:gS,distance_vert:_S,distance_frag:xS,equirect_vert:yS,equirect_frag:vS,linedashed_vert:SS,linedashed_frag:MS,meshbasic_vert:bS,meshbasic_frag:wS,meshlambert_vert:AS,meshlambert_frag:TS,meshmatcap_vert:ES,meshmatcap_frag:CS,meshnormal_vert:RS,meshnormal_frag:PS,meshphong_vert:IS,meshphong_frag:LS,meshphysical_vert:DS,meshphysical_frag:NS,meshtoon_vert:US,meshtoon_frag:FS,points_vert:OS,points_frag:BS,shadow_vert:kS,shadow_frag:zS,sprite_vert:VS,sprite_frag:GS},Pt={common:{diffuse:{value:new zt(16777215)},opacity:{value:1},map:{value:null},mapTransform:{value:new ee},alphaMap:{value:null},alphaMapTransform:{value:new ee},alphaTest:{value:0}},specularmap:{specularMap:{value:null},specularMapTransform:{value:new ee}},envmap:{envMap:{value:null},envMapRotation:{value:new ee},reflectivity:{value:1},ior:{value:1.5},refractionRatio:{value:.98},dfgLUT:{value:null}},aomap:{aoMap:{value:null},aoMapIntensity:{value:1},aoMapTransform:{value:new ee}},lightmap:{lightMap:{value:null},lightMapIntensity:{value:1},lightMapTransform:{value:new ee}},bumpmap:{bumpMap:{value:null},bumpMapTransform:{value:new ee},bumpScale:{value:1}},normalmap:{normalMap:{value:null},normalMapTransform:{value:new ee},normalScale:{value:new Gt(1,1)}},displacementmap:{displacementMap:{value:null},displacementMapTransform:{value:new ee},displacementScale:{value:1},displacementBias:{value:0}},emissivemap:{emissiveMap:{value:null},emissiveMapTransform:{value:new ee}},metalnessmap:{metalnessMap:{value:null},metalnessMapTransform:{value:new ee}},roughnessmap:{roughnessMap:{value:null},roughnessMapTransform:{value:new ee}},gradientmap:{gradientMap:{value:null}},fog:{fogDensity:{value:25e-5},fogNear:{value:1},fogFar:{value:2e3},fogColor:{value:new zt(16777215)}},lights:{ambientLightColor:{value:[]},lightProbe:{value:[]},sunLights:{value:[],properties:{direction:{},color:{}}},sunLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},sunShadowMatrix:{value:[]},sunShadowCascade:{value:[]},directionalLights:{value:[],properties:{direction:{},color:{}}},directionalLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},directionalShadowMatrix:{value:[]},spotLights:{value:[],properties:{color:{},position:{},direction:{},distance:{},coneCos:{},penumbraCos:{},decay:{}}},spotLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},spotLightMap:{value:[]},spotLightMatrix:{value:[]},pointLights:{value:[],properties:{color:{},position:{},decay:{},distance:{}}},pointLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{},shadowCameraNear:{},shadowCameraFar:{}}},pointShadowMatrix:{value:[]},hemisphereLights:{value:[],properties:{direction:{},skyColor:{},groundColor:{}}},rectAreaLights:{value:[],properties:{color:{},position:{},width:{},height:{}}},ltc_1:{value:null},ltc_2:{value:null},probesSH:{value:[]},probesMin:{value:[]},probesMax:{value:[]},probesResolution:{value:[]}},points:{diffuse:{value:new zt(16777215)},opacity:{value:1},size:{value:1},scale:{value:1},map:{value:null},alphaMap:{value:null},alphaMapTransform:{value:new ee},alphaTest:{value:0},uvTransform:{value:new ee}},sprite:{diffuse:{value:new zt(16777215)},opacity:{value:1},center:{value:new Gt(.5,.5)},rotation:{value:0},map:{value:null},mapTransform:{value:new ee},alphaMap:{value:null},alphaMapTransform:{value:new ee},alphaTest:{value:0}}},ti={basic:{uniforms:Hn([Pt.common,Pt.specularmap,Pt.envmap,Pt.aomap,Pt.lightmap,Pt.fog]),vertexShader:he.meshbasic_vert,fragmentShader:he.meshbasic_frag},lambert:{uniforms:Hn([Pt.common,Pt.specularmap,Pt.envmap,Pt.aomap,Pt.lightmap,Pt.emissivemap,Pt.bumpmap,Pt.normalmap,Pt.displacementmap,Pt.fog,Pt.lights,{emissive:{value:new zt(0)},envMapIntensity:{value:1}}]),vertexShader:he.meshlambert_vert,fragmentShader:he.meshlambert_frag},phong:{uniforms:Hn([Pt.common,Pt.specularmap,Pt.envmap,Pt.aomap,Pt.lightmap,Pt.emissivemap,Pt.bumpmap,Pt.normalmap,Pt.displacementmap,Pt.fog,Pt.lights,{emissive:{value:new zt(0)},specular:{value:new zt(1118481)},shininess:{value:30},envMapIntensity:{value:1}}]),vertexShader:he.meshphong_vert,fragmentShader:he.meshphong_frag},standard:{uniforms:Hn([Pt.common,Pt.envmap,Pt.aomap,Pt.lightmap,Pt.emissivemap,Pt.bumpmap,Pt.normalmap,Pt.displacementmap,Pt.roughnessmap,Pt.metalnessmap,Pt.fog,Pt.lights,{emissive:{value:new zt(0)},roughness:{value:1},metalness:{value:0},envMapIntensity:{value:1}}]),vertexShader:he.meshphysical_vert,fragmentShader:he.meshphysical_frag},toon:{uniforms:Hn([Pt.common,Pt.aomap,Pt.lightmap,Pt.emissivemap,Pt.bumpmap,Pt.normalmap,Pt.displacementmap,Pt.gradientmap,Pt.fog,Pt.lights,{emissive:{value:new zt(0)}}]),vertexShader:he.meshtoon_vert,fragmentShader:he.meshtoon_frag},matcap:{uniforms:Hn([Pt.common,Pt.bumpmap,Pt.normalmap,Pt.displacementmap,Pt.fog,{matcap:{value:null}}]),vertexShader:he.meshmatcap_vert,fragmentShader:he.meshmatcap_frag},points:{uniforms:Hn([Pt.points,Pt.fog]),vertexShader:he.points_vert,fragmentShader:he.points_frag},dashed:{uniforms:Hn([Pt.common,Pt.fog,{scale:{value:1},dashSize:{value:1},totalSize:{value:2}}]),vertexShader:he.linedashed_vert,fragmentShader:he.linedashed_frag},depth:{uniforms:Hn([Pt.common,Pt.displacementmap]),vertexShader:he.depth_vert,fragmentShader:he.depth_frag},normal:{uniforms:Hn([Pt.common,Pt.bumpmap,Pt.normalmap,Pt.displacementmap,{opacity:{value:1}}]),vertexShader:he.meshnormal_vert,fragmentShader:he.meshnormal_frag},sprite:{uniforms:Hn([Pt.sprite,Pt.fog]),vertexShader:he.sprite_vert,fragmentShader:he.sprite_frag},background:{uniforms:{uvTransform:{value:new ee},t2D:{value:null},backgroundIntensity:{value:1}},vertexShader:he.background_vert,fragmentShader:he.background_frag},backgroundCube:{uniforms:{envMap:{value:null},backgroundBlurriness:{value:0},backgroundIntensity:{value:1},backgroundRotation:{value:new ee}},vertexShader:he.backgroundCube_vert,fragmentShader:he.backgroundCube_frag},cube:{uniforms:{tCube:{value:null},tFlip:{value:-1},opacity:{value:1}},vertexShader:he.cube_vert,fragmentShader:he.cube_frag},equirect:{uniforms:{tEquirect:{value:null}},vertexShader:he.equirect_vert,fragmentShader:he.equirect_frag},distance:{uniforms:Hn([Pt.common,Pt.displacementmap,{referencePosition:{value:new U},nearDistance:{value:1},farDistance:{value:1e3}}]),vertexShader:he.distance_vert,fragmentShader:he.distance_frag},shadow:{uniforms:Hn([Pt.lights,Pt.fog,{color:{value:new zt(0)},opacity:{value:1}}]),vertexShader:he.shadow_vert,fragmentShader:he.shadow_frag}};ti.physical={uniforms:Hn([ti.standard.uniforms,{clearcoat:{value:0},clearcoatMap:{value:null},clearcoatMapTransform:{value:new ee},clearcoatNormalMap:{value:null},clearcoatNormalMapTransform:{value:new ee},clearcoatNormalScale:{value:new Gt(1,1)},clearcoatRoughness:{value:0},clearcoatRoughnessMap:{value:null},clearcoatRoughnessMapTransform:{value:new ee},diffuseRoughness:{value:0},diffuseRoughnessMap:{value:null},diffuseRoughnessMapTransform:{value:new ee},dispersion:{value:0},retroreflectivity:{value:0},iridescence:{value:0},iridescenceMap:{value:null},iridescenceMapTransform:{value:new ee},iridescenceIOR:{value:1.3},iridescenceThicknessMinimum:{value:100},iridescenceThicknessMaximum:{value:400},iridescenceThicknessMap:{value:null},iridescenceThicknessMapTransform:{value:new ee},sheen:{value:0},sheenColor:{value:new zt(0)},sheenColorMap:{value:null},sheenColorMapTransform:{value:new ee},sheenRoughness:{value:1},sheenRoughnessMap:{value:null},sheenRoughnessMapTransform:{value:new ee},transmission:{value:0},transmissionMap:{value:null},transmissionMapTransform:{value:new ee},transmissionSamplerSize:{value:new Gt},transmissionSamplerMap:{value:null},thickness:{value:0},thicknessMap:{value:null},thicknessMapTransform:{value:new ee},attenuationDistance:{value:0},attenuationColor:{value:new zt(0)},specularColor:{value:new zt(1,1,1)},specularColorMap:{value:null},specularColorMapTransform:{value:new ee},specularIntensity:{value:1},specularIntensityMap:{value:null},specularIntensityMapTransform:{value:new ee},anisotropyVector:{value:new Gt},anisotropyMap:{value:null},anisotropyMapTransform:{value:new ee}}]),vertexShader:he.meshphysical_vert,fragmentShader:he.meshphysical_frag};var xh={r:0,b:0,g:0},HS=new ve,pg=new ee;pg.set(-1,0,0,0,1,0,0,0,1);function WS(i,t,e,n,s,r){let o=new zt(0),a=s===!0?0:1,l,c,h=null,u=0,d=null;function f(y){let T=y.isScene===!0?y.background:null;if(T&&T.isTexture){let S=y.backgroundBlurriness>0;T=t.get(T,S)}return T}function g(y){let T=!1,S=f(y);S===null?p(o,a):S&&S.isColor&&(p(S,1),T=!0);let C=i.xr.getEnvironmentBlendMode();C==="additive"?e.buffers.color.setClear(0,0,0,1,r):C==="alpha-blend"&&e.buffers.color.setClear(0,0,0,0,r),(i.autoClear||T)&&(e.buffers.depth.setTest(!0),e.buffers.depth.setMask(!0),e.buffers.color.setMask(!0),i.clear(i.autoClearColor,i.autoClearDepth,i.autoClearStencil))}function v(y,T){let S=f(T);S&&S.isCubeTexture?(c===void 0&&(c=new Gn(new zs(1,1,1),new bi({name:"BackgroundCubeMaterial",uniforms:Mr(ti.backgroundCube.uniforms),vertexShader:ti.backgroundCube.vertexShader,fragmentShader:ti.backgroundCube.fragmentShader,side:Qn,depthTest:!1,depthWrite:!1,fog:!1,allowOverride:!1})),c.geometry.deleteAttribute("normal"),c.geometry.deleteAttribute("uv"),c.onBeforeRender=function(C,E,_){this.matrixWorld.copyPosition(_.matrixWorld)},Object.defineProperty(c.material,"envMap",{get:function(){return this.uniforms.envMap.value}}),n.update(c)),c.material.uniforms.envMap.value=S,c.material.uniforms.backgroundBlurriness.value=T.backgroundBlurriness,c.material.uniforms.backgroundIntensity.value=T.backgroundIntensity,c.material.uniforms.backgroundRotation.value.setFromMatrix4(HS.makeRotationFromEuler(T.backgroundRotation)).transpose(),S.isRenderTargetTexture===!1&&c.material.uniforms.backgroundRotation.value.premultiply(pg),c.material.toneMapped=ge.getTransfer(S.colorSpace)!==Ee,(h!==S||u!==S.version||d!==i.toneMapping)&&(c.material.needsUpdate=!0,h=S,u=S.version,d=i.toneMapping),c.layers.enableAll(),y.unshift(c,c.geometry,c.material,0,0,null)):S&&S.isTexture&&(l===void 0&&(l=new Gn(new pr(2,2),new bi({name:"BackgroundMaterial",uniforms:Mr(ti.background.uniforms),vertexShader:ti.background.vertexShader,fragmentShader:ti.background.fragmentShader,side:Xs,depthTest:!1,depthWrite:!1,fog:!1,allowOverride:!1})),l.geometry.deleteAttribute("normal"),Object.defineProperty(l.material,"map",{get:function(){return this.uniforms.t2D.value}}),n.update(l)),l.material.uniforms.t2D.value=S,l.material.uniforms.backgroundIntensity.value=T.backgroundIntensity,l.material.toneMapped=ge.getTransfer(S.colorSpace)!==Ee,S.matrixAutoUpdate===!0&&S.updateMatrix(),l.material.uniforms.uvTransform.value.copy(S.matrix),(h!==S||u!==S.version||d!==i.toneMapping)&&(l.material.needsUpdate=!0,h=S,u=S.version,d=i.toneMapping),l.layers.enableAll(),y.unshift(l,l.geometry,l.material,0,0,null))}function p(y,T){y.getRGB(xh,Bd(i)),e.buffers.color.setClear(xh.r,xh.g,xh.b,T,r)}function m(){c!==void 0&&(c.geometry.dispose(),c.material.dispose(),c=void 0),l!==void 0&&(l.geometry.dispose(),l.material.dispose(),l=void 0)}return{getClearColor:function(){return o},setClearColor:function(y,T=1){o.set(y),a=T,p(o,a)},getClearAlpha:function(){return a},setClearAlpha:function(y){a=y,p(o,a)},render:g,addToRenderList:v,dispose:m}}function XS(i,t){let e=i.getParameter(i.MAX_VERTEX_ATTRIBS),n={},s=d(null),r=s,o=!1;function a(L,z,H,N,W){let Y=!1,G=u(L,N,H,z);r!==G&&(r=G,c(r.object)),Y=f(L,N,H,W),Y&&g(L,N,H,W),W!==null&&t.update(W,i.ELEMENT_ARRAY_BUFFER),(Y||o)&&(o=!1,S(L,z,H,N),W!==null&&i.bindBuffer(i.ELEMENT_ARRAY_BUFFER,t.get(W).buffer))}function l(){return i.createVertexArray()}function c(L){return i.bindVertexArray(L)}function h(L){return i.deleteVertexArray(L)}function u(L,z,H,N){let W=N.wireframe===!0,Y=n[z.id];Y===void 0&&(Y={},n[z.id]=Y);let G=L.isInstancedMesh===!0?L.id:0,lt=Y[G];lt===void 0&&(lt={},Y[G]=lt);let J=lt[H.id];J===void 0&&(J={},lt[H.id]=J);let j=J[W];return j===void 0&&(j=d(l()),J[W]=j),j}function d(L){let z=[],H=[],N=[];for(let W=0;W<e;W++)z[W]=0,H[W]=0,N[W]=0;return{geometry:null,program:null,wireframe:!1,newAttributes:z,enabledAttributes:H,attributeDivisors:N,object:L,attributes:{},index:null}}function f(L,z,H,N){let W=r.attributes,Y=z.attributes,G=0,lt=H.getAttributes();for(let J in lt)if(lt[J].location>=0){let it=W[J],ut=Y[J];if(ut===void 0&&(J==="instanceMatrix"&&L.instanceMatrix&&(ut=L.instanceMatrix),J==="instanceColor"&&L.instanceColor&&(ut=L.instanceColor)),it===void 0||it.attribute!==ut||ut&&it.data!==ut.data)return!0;G++}return r.attributesNum!==G||r.index!==N}function g(L,z,H,N){let W={},Y=z.attributes,G=0,lt=H.getAttributes();for(let J in lt)if(lt[J].location>=0){let it=Y[J];it===void 0&&(J==="instanceMatrix"&&L.instanceMatrix&&(it=L.instanceMatrix),J==="instanceColor"&&L.instanceColor&&(it=L.instanceColor));let ut={};ut.attribute=it,it&&it.data&&(ut.data=it.data),W[J]=ut,G++}r.attributes=W,r.attributesNum=G,r.index=N}function v(){let L=r.newAttributes;for(let z=0,H=L.length;z<H;z++)L[z]=0}function p(L){m(L,0)}function m(L,z){let H=r.newAttributes,N=r.enabledAttributes,W=r.attributeDivisors;H[L]=1,N[L]===0&&(i.enableVertexAttribArray(L),N[L]=1),W[L]!==z&&(i.vertexAttribDivisor(L,z),W[L]=z)}function y(){let L=r.newAttributes,z=r.enabledAttributes;for(let H=0,N=z.length;H<N;H++)z[H]!==L[H]&&(i.disableVertexAttribArray(H),z[H]=0)}function T(L,z,H,N,W,Y,G){G===!0?i.vertexAttribIPointer(L,z,H,W,Y):i.vertexAttribPointer(L,z,H,N,W,Y)}function S(L,z,H,N){v();let W=N.attributes,Y=H.getAttributes(),G=z.defaultAttributeValues;for(let lt in Y){let J=Y[lt];if(J.location>=0){let j=W[lt];if(j===void 0&&(lt==="instanceMatrix"&&L.instanceMatrix&&(j=L.instanceMatrix),lt==="instanceColor"&&L.instanceColor&&(j=L.instanceColor)),j!==void 0){let it=j.normalized,ut=j.itemSize,ht=t.get(j);if(ht===void 0)continue;let Q=ht.buffer,pt=ht.type,_t=ht.bytesPerElement,Et=pt===i.INT||pt===i.UNSIGNED_INT||j.gpuType===Nc;if(j.isInterleavedBufferAttribute){let Mt=j.data,Xt=Mt.isInterleavedBuffer===!0?Mt.stride:Mt.itemSize,se=j.offset;if(Mt.isInstancedInterleavedBuffer||Mt.isInstancedBufferAttribute){for(let Ht=0;Ht<J.locationSize;Ht++)m(J.location+Ht,Mt.meshPerAttribute);L.isInstancedMesh!==!0&&N._maxInstanceCount===void 0&&(N._maxInstanceCount=Mt.meshPerAttribute*Mt.count)}else for(let Ht=0;Ht<J.locationSize;Ht++)p(J.location+Ht);i.bindBuffer(i.ARRAY_BUFFER,Q);for(let Ht=0;Ht<J.locationSize;Ht++)T(J.location+Ht,ut/J.locationSize,pt,it,Xt*_t,(se+ut/J.locationSize*Ht)*_t,Et)}else{if(j.isInstancedBufferAttribute){for(let Mt=0;Mt<J.locationSize;Mt++)m(J.location+Mt,j.meshPerAttribute);L.isInstancedMesh!==!0&&N._maxInstanceCount===void 0&&(N._maxInstanceCount=j.meshPerAttribute*j.count)}else for(let Mt=0;Mt<J.locationSize;Mt++)p(J.location+Mt);i.bindBuffer(i.ARRAY_BUFFER,Q);for(let Mt=0;Mt<J.locationSize;Mt++)T(J.location+Mt,ut/J.locationSize,pt,it,ut*_t,ut/J.locationSize*Mt*_t,Et)}}else if(G!==void 0){let it=G[lt];if(it!==void 0)switch(it.length){case 2:i.vertexAttrib2fv(J.location,it);break;case 3:i.vertexAttrib3fv(J.location,it);break;case 4:i.vertexAttrib4fv(J.location,it);break;default:i.vertexAttrib1fv(J.location,it)}}}}y()}function C(){F();for(let L in n){let z=n[L];for(let H in z){let N=z[H];for(let W in N){let Y=N[W];for(let G in Y)h(Y[G].object),delete Y[G];delete N[W]}}delete n[L]}}function E(L){if(n[L.id]===void 0)return;let z=n[L.id];for(let H in z){let N=z[H];for(let W in N){let Y=N[W];for(let G in Y)h(Y[G].object),delete Y[G];delete N[W]}}delete n[L.id]}function _(L){for(let z in n){let H=n[z];for(let N in H){let W=H[N];if(W[L.id]===void 0)continue;let Y=W[L.id];for(let G in Y)h(Y[G].object),delete Y[G];delete W[L.id]}}}function w(L){for(let z in n){let H=n[z],N=L.isInstancedMesh===!0?L.id:0,W=H[N];if(W!==void 0){for(let Y in W){let G=W[Y];for(let lt in G)h(G[lt].object),delete G[lt];delete W[Y]}delete H[N],Object.keys(H).length===0&&delete n[z]}}}function F(){I(),o=!0,r!==s&&(r=s,c(r.object))}function I(){s.geometry=null,s.program=null,s.wireframe=!1}return{setup:a,reset:F,resetDefaultState:I,dispose:C,releaseStatesOfGeometry:E,releaseStatesOfObject:w,releaseStatesOfProgram:_,initAttributes:v,enableAttribute:p,disableUnusedAttributes:y}}function qS(i,t,e){let n;function s(l){n=l}function r(l,c){i.drawArrays(n,l,c),e.update(c,n,1)}function o(l,c,h){h!==0&&(i.drawArraysInstanced(n,l,c,h),e.update(c,n,h))}function a(l,c,h){if(h===0)return;t.get("WEBGL_multi_draw").multiDrawArraysWEBGL(n,l,0,c,0,h);let d=0;for(let f=0;f<h;f++)d+=c[f];e.update(d,n,1)}this.setMode=s,this.render=r,this.renderInstances=o,this.renderMultiDraw=a}function YS(i,t,e,n){let s;function r(){if(s!==void 0)return s;if(t.has("EXT_texture_filter_anisotropic")===!0){let _=t.get("EXT_texture_filter_anisotropic");s=i.getParameter(_.MAX_TEXTURE_MAX_ANISOTROPY_EXT)}else s=0;return s}function o(_){return!(_!==Bi&&n.convert(_)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_FORMAT))}function a(_){let w=_===Oi&&(t.has("EXT_color_buffer_half_float")||t.has("EXT_color_buffer_float"));return!(_!==si&&_!==wi&&!w&&n.convert(_)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_TYPE))}function l(_){if(_==="highp"){if(i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.HIGH_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.HIGH_FLOAT).precision>0)return"highp";_="mediump"}return _==="mediump"&&i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.MEDIUM_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.MEDIUM_FLOAT).precision>0?"mediump":"lowp"}let c=e.precision!==void 0?e.precision:"highp",h=l(c);h!==c&&($t("WebGLRenderer:",c,"not supported, using",h,"instead."),c=h);let u=e.reversedDepthBuffer===!0&&t.has("EXT_clip_control"),d=e.logarithmicDepthBuffer===!0&&u===!1;e.reversedDepthBuffer===!0&&u===!1&&$t("WebGLRenderer: Unable to use reversed depth buffer due to missing EXT_clip_control extension. Fallback to default depth buffer."),e.logarithmicDepthBuffer===!0&&u===!0&&$t("WebGLRenderer: Logarithmic depth buffer is ignored when reversed depth buffer is enabled.");let f=i.getParameter(i.MAX_TEXTURE_IMAGE_UNITS),g=i.getParameter(i.MAX_VERTEX_TEXTURE_IMAGE_UNITS),v=i.getParameter(i.MAX_TEXTURE_SIZE),p=i.getParameter(i.MAX_CUBE_MAP_TEXTURE_SIZE),m=i.getParameter(i.MAX_VERTEX_ATTRIBS),y=i.getParameter(i.MAX_VERTEX_UNIFORM_VECTORS),T=i.getParameter(i.MAX_VARYING_VECTORS),S=i.getParameter(i.MAX_FRAGMENT_UNIFORM_VECTORS),C=i.getParameter(i.MAX_SAMPLES),E=i.getParameter(i.SAMPLES);return{isWebGL2:!0,getMaxAnisotropy:r,getMaxPrecision:l,textureFormatReadable:o,textureTypeReadable:a,precision:c,logarithmicDepthBuffer:d,reversedDepthBuffer:u,maxTextures:f,maxVertexTextures:g,maxTextureSize:v,maxCubemapSize:p,maxAttributes:m,maxVertexUniforms:y,maxVaryings:T,maxFragmentUniforms:S,maxSamples:C,samples:E}}function $S(i){let t=this,e=null,n=0,s=!1,r=!1,o=new Di,a=new ee,l={value:null,needsUpdate:!1};this.uniform=l,this.numPlanes=0,this.numIntersection=0,this.init=function(u,d){let f=u.length!==0||d||n!==0||s;return s=d,n=u.length,f},this.beginShadows=function(){r=!0,h(null)},this.endShadows=function(){r=!1},this.setGlobalState=function(u,d){e=h(u,d,0)},this.setState=function(u,d,f){let g=u.clippingPlanes,v=u.clipIntersection,p=u.clipShadows,m=i.get(u);if(!s||g===null||g.length===0||r&&!p)r?h(null):c();else{let y=r?0:n,T=y*4,S=m.clippingState||null;l.value=S,S=h(g,d,T,f);for(let C=0;C!==T;++C)S[C]=e[C];m.clippingState=S,this.numIntersection=v?this.numPlanes:0,this.numPlanes+=y}};function c(){l.value!==e&&(l.value=e,l.needsUpdate=n>0),t.numPlanes=n,t.numIntersection=0}function h(u,d,f,g){let v=u!==null?u.length:0,p=null;if(v!==0){if(p=l.value,g!==!0||p===null){let m=f+v*4,y=d.matrixWorldInverse;a.getNormalMatrix(y),(p===null||p.length<m)&&(p=new Float32Array(m));for(let T=0,S=f;T!==v;++T,S+=4)o.copy(u[T]).applyMatrix4(y,a),o.normal.toArray(p,S),p[S+3]=o.constant}l.value=p,l.needsUpdate=!0}return t.numPlanes=v,t.numIntersection=0,p}}var Za=class extends ui{constructor(t=1,e={}){super(t,t,e),this.isWebGLCubeRenderTarget=!0;let n={width:t,height:t,depth:1},s=[n,n,n,n,n,n];this.texture=new va(s),this._setTextureOptions(e),this.texture.isRenderTargetTexture=!0}fromEquirectangularTexture(t,e){this.texture.type=e.type,this.texture.colorSpace=e.colorSpace,this.texture.generateMipmaps=e.generateMipmaps,this.texture.minFilter=e.minFilter,this.texture.magFilter=e.magFilter;let n={uniforms:{tEquirect:{value:null}},vertexShader:`

				varying vec3 vWorldDirection;

				vec3 transformDirection( in vec3 dir, in mat4 matrix ) {

					return normalize( ( matrix * vec4( dir, 0.0 ) ).xyz );

				}

				void main() {

					vWorldDirection = transformDirection( position, modelMatrix );

					#include <begin_vertex>
					#include <project_vertex>

				}
			`,fragmentShader:`

				uniform sampler2D tEquirect;

				varying vec3 vWorldDirection;

				#include <common>

				void main() {

					vec3 direction = normalize( vWorldDirection );

					vec2 sampleUV = equirectUv( direction );

					gl_FragColor = texture2D( tEquirect, sampleUV );

				}
			`},s=new zs(5,5,5),r=new bi({name:"CubemapFromEquirect",uniforms:Mr(n.uniforms),vertexShader:n.vertexShader,fragmentShader:n.fragmentShader,side:Qn,blending:xr});r.uniforms.tEquirect.value=e;let o=new Gn(s,r),a=e.minFilter;return e.minFilter===vs&&(e.minFilter=Kn),new Mo(1,10,this).update(t,o),e.minFilter=a,o.geometry.dispose(),o.material.dispose(),this}clear(t,e=!0,n=!0,s=!0){let r=t.getRenderTarget();for(let o=0;o<6;o++)t.setRenderTarget(this,o),t.clear(e,n,s);t.setRenderTarget(r)}},qm=256,ZS=3,JS=20,mg=256,gg=16,KS=3,jS=new U,QS=new zt,vh=class i{constructor(t){this._renderer=t,this._cubeSize=0,this._sourceTarget=null,this._cubeCamera=new Mo(1,10,null),this._boxMesh=new Gn(new zs(5,5,5),null),this._cubemapMaterial=null,this._equirectMaterial=null,this._blurMaterial=null,this._ggxMaterial=null,this._integrationMaterial=null}fromScene(t,e=0,n=.1,s=100,r={}){let{size:o=256,position:a=jS}=r,l=this._renderer;this._setSize(o);let c=this._allocateTarget(),h=this._getSourceTarget(!0);e>0&&(h.texture.mipmapsAutoUpdate=!1);let u=l.autoClear,d=l.autoClearColor,f=l.autoClearDepth,g=l.autoClearStencil,v=t.background;l.autoClear=!0,l.autoClearColor=!0,l.autoClearDepth=!0,l.autoClearStencil=!0,v===null&&(t.background=l.getClearColor(QS));let p=new Mo(n,s,h);return p.position.copy(a),p.update(l,t),l.autoClear=u,l.autoClearColor=d,l.autoClearDepth=f,l.autoClearStencil=g,t.background=v,e>0&&(h.texture.mipmapsAutoUpdate=!0,this._blur(c,e)),this._applyPMREM(c),c}fromEquirectangular(t,e=null){return this._fromTexture(t,e)}fromCubemap(t,e=null){return this._fromTexture(t,e)}compileCubemapShader(){this._cubemapMaterial===null&&(this._cubemapMaterial=Zm(),this._compileMaterial(this._cubemapMaterial))}compileEquirectangularShader(){this._equirectMaterial===null&&(this._equirectMaterial=$m(),this._compileMaterial(this._equirectMaterial))}dispose(){this._sourceTarget!==null&&this._sourceTarget.dispose(),this._cubemapMaterial!==null&&this._cubemapMaterial.dispose(),this._equirectMaterial!==null&&this._equirectMaterial.dispose(),this._blurMaterial!==null&&this._blurMaterial.dispose(),this._ggxMaterial!==null&&this._ggxMaterial.dispose(),this._integrationMaterial!==null&&this._integrationMaterial.dispose(),this._boxMesh.geometry.dispose()}static lodToRoughness(t,e){return e>0?1-Math.sqrt(1-t/e):0}_setSize(t){this._cubeSize=Math.max(qm,Dd(t))}_fromTexture(t,e){t.mapping===vr||t.mapping===Ao?this._setSize(t.image.length===0?qm:t.image[0].width||t.image[0].image.width):this._setSize(t.image.width/4);let n=e||this._allocateTarget();return this._textureToCubemap(t),this._applyPMREM(n),n}_allocateTarget(){let t=this._cubeSize,e=Ym(t,!1,!1),n=Math.log2(t)-ZS;for(let s=0;s<=n;s++)e.texture.mipmaps.push({width:t>>s,height:t>>s});return e.texture.name="PMREM",e.texture.isPMREMTexture=!0,e}_getSourceTarget(t=!1){let e=this._cubeSize,n=this._sourceTarget;return(n===null||n.width!==e||t&&n.depthBuffer===!1)&&(n!==null&&n.dispose(),this._sourceTarget=Ym(e,!0,t)),this._sourceTarget}_compileMaterial(t){this._boxMesh.material=t,this._renderer.compile(this._boxMesh,this._cubeCamera.children[0])}_renderCube(t,e,n){let s=this._boxMesh,r=this._cubeCamera;s.material=n,r.renderTarget=t,r.activeMipmapLevel=e;let o=t.width>>e;t.viewport.set(0,0,o,o),r.update(this._renderer,s),t.viewport.set(0,0,t.width,t.height)}_textureToCubemap(t){let e;t.mapping===vr||t.mapping===Ao?(this._cubemapMaterial===null&&(this._cubemapMaterial=Zm()),e=this._cubemapMaterial,e.uniforms.flipEnvMap.value=t.isRenderTargetTexture===!1?-1:1):(this._equirectMaterial===null&&(this._equirectMaterial=$m()),e=this._equirectMaterial),e.uniforms.envMap.value=t,this._renderCube(this._getSourceTarget(),0,e)}_applyPMREM(t){this._ggxMaterial===null&&(this._ggxMaterial=tM(),this._integrationMaterial=eM());let e=this._cubeSize,n=t.texture.mipmaps.length-1,s=this._ggxMaterial.uniforms;s.envMap.value=this._sourceTarget.texture;let r=this._integrationMaterial.uniforms;r.envMap.value=this._sourceTarget.texture,r.sourceLod.value=Math.log2(e/gg);for(let o=0;o<=n;o++){let a=i.lodToRoughness(o,n);if(o>n-KS)r.roughness.value=a,this._renderCube(t,o,this._integrationMaterial);else{let l=a>0?Math.log2(e)+.5*Math.log2(6/(mg*Math.pow(a,4)))+.5:0;s.roughness.value=a,s.lodBias.value=l,this._renderCube(t,o,this._ggxMaterial)}}}_blur(t,e){this._blurMaterial===null&&(this._blurMaterial=nM());let n=this._blurMaterial,s=n.uniforms,r=this._sourceTarget;s.sigma.value=Math.min(e,Math.PI)/Math.SQRT2,s.envMap.value=r.texture,this._renderCube(t,0,n),s.envMap.value=t.texture,this._renderCube(r,0,n)}};function Ym(i,t,e){return new Za(i,{minFilter:vs,generateMipmaps:t,type:Oi,colorSpace:ha,depthBuffer:e})}function Ja(i,t,e){return new bi({name:i,uniforms:t,vertexShader:he.cube_vert,fragmentShader:e,side:Qn,blending:xr,depthTest:!1,depthWrite:!1})}function tM(){return Ja("PMREMGGXConvolution",{envMap:{value:null},roughness:{value:0},lodBias:{value:0}},`

		#define GGX_SAMPLES ${mg}u

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float roughness;
		uniform float lodBias;

		#include <common>

		// Van der Corput radical inverse
		float radicalInverse_VdC( uint bits ) {

			bits = ( bits << 16u ) | ( bits >> 16u );
			bits = ( ( bits & 0x55555555u ) << 1u ) | ( ( bits & 0xAAAAAAAAu ) >> 1u );
			bits = ( ( bits & 0x33333333u ) << 2u ) | ( ( bits & 0xCCCCCCCCu ) >> 2u );
			bits = ( ( bits & 0x0F0F0F0Fu ) << 4u ) | ( ( bits & 0xF0F0F0F0u ) >> 4u );
			bits = ( ( bits & 0x00FF00FFu ) << 8u ) | ( ( bits & 0xFF00FF00u ) >> 8u );
			return float( bits ) * 2.3283064365386963e-10; // / 0x100000000

		}

		// Hammersley sequence
		vec2 hammersley( uint i, uint N ) {

			return vec2( float( i ) / float( N ), radicalInverse_VdC( i ) );

		}

		void main() {

			vec3 N = normalize( vWorldDirection );

			// For very low roughness, just sample the environment directly
			if ( roughness < 0.001 ) {

				gl_FragColor = vec4( textureLod( envMap, N, 0.0 ).rgb, 1.0 );
				return;

			}

			float alpha = roughness * roughness;
			float alpha2 = alpha * alpha;

			// Tangent space basis for VNDF sampling
			vec3 up = abs( N.z ) < 0.999 ? vec3( 0.0, 0.0, 1.0 ) : vec3( 1.0, 0.0, 0.0 );
			vec3 tangent = normalize( cross( up, N ) );
			vec3 bitangent = cross( N, tangent );

			vec3 prefilteredColor = vec3( 0.0 );
			float totalWeight = 0.0;

			for ( uint i = 0u; i < GGX_SAMPLES; i ++ ) {

				vec2 Xi = hammersley( i, GGX_SAMPLES );

				// With V = N, sample the reflected direction directly.
				float invQ = 1.0 / ( 1.0 - Xi.x + alpha2 * Xi.x );
				float NdotL = ( 1.0 - Xi.x - alpha2 * Xi.x ) * invQ;

				if ( NdotL > 0.0 ) {

					float phi = 2.0 * PI * Xi.y;
					float sinTheta = 2.0 * alpha * sqrt( Xi.x * ( 1.0 - Xi.x ) ) * invQ;
					vec3 L = N * NdotL + ( tangent * cos( phi ) + bitangent * sin( phi ) ) * sinTheta;

					// Match the source mip to the sample's solid angle. The terms
					// independent of the sample are precomputed in lodBias.
					float d = alpha2 * invQ;
					float lod = max( log2( d ) + lodBias, 0.0 );

					// Weight by NdotL for the split-sum approximation
					prefilteredColor += textureLod( envMap, L, lod ).rgb * NdotL;
					totalWeight += NdotL;

				}

			}

			gl_FragColor = vec4( prefilteredColor / totalWeight, 1.0 );

		}
	`)}function eM(){return Ja("PMREMGGXIntegration",{envMap:{value:null},roughness:{value:0},sourceLod:{value:0},sourceSize:{value:gg}},`

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float roughness;
		uniform float sourceLod;
		uniform int sourceSize;

		void main() {

			vec3 N = normalize( vWorldDirection );

			float alpha = roughness * roughness;
			float alpha2 = alpha * alpha;

			float texelSize = 2.0 / float( sourceSize );

			vec3 prefilteredColor = vec3( 0.0 );
			float totalWeight = 0.0;

			// Pair opposite texels: only the one in N's hemisphere contributes.
			for ( int face = 0; face < 3; face ++ ) {

				for ( int y = 0; y < sourceSize; y ++ ) {

					for ( int x = 0; x < sourceSize; x ++ ) {

						vec2 uv = ( vec2( x, y ) + 0.5 ) * texelSize - 1.0;
						vec3 texelDirection = face == 0 ? vec3( 1.0, uv ) : ( face == 1 ? vec3( uv.x, 1.0, uv.y ) : vec3( uv, 1.0 ) );

						float invDistance = inversesqrt( 1.0 + dot( uv, uv ) );
						float NdotL = dot( N, texelDirection );
						texelDirection *= NdotL < 0.0 ? - 1.0 : 1.0;
						NdotL = abs( NdotL ) * invDistance;

						// With V = N, NdotH squared is ( 1 + NdotL ) / 2. Common factors
						// in the GGX distribution and texel solid angle cancel when normalized.
						float d = 1.0 + alpha2 + ( alpha2 - 1.0 ) * NdotL;
						float weight = NdotL * invDistance * invDistance * invDistance / ( d * d );

						prefilteredColor += textureLod( envMap, texelDirection, sourceLod ).rgb * weight;
						totalWeight += weight;

					}

				}

			}

			gl_FragColor = vec4( prefilteredColor / totalWeight, 1.0 );

		}
	`)}function nM(){return Ja("PMREMSphericalGaussianBlur",{envMap:{value:null},sigma:{value:0}},`

		#define SAMPLES ${JS}
		#define GOLDEN_ANGLE 2.39996322973

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float sigma;

		#include <common>

		void main() {

			vec3 outputDirection = normalize( vWorldDirection );

			vec3 up = abs( outputDirection.z ) < 0.999 ? vec3( 0.0, 0.0, 1.0 ) : vec3( 1.0, 0.0, 0.0 );
			vec3 tangent = normalize( cross( up, outputDirection ) );
			vec3 bitangent = cross( outputDirection, tangent );

			// Truncate the kernel at three standard deviations or at the antipode.
			float thetaMax = min( 3.0 * sigma, PI );
			float truncation = 1.0 - exp( - 0.5 * thetaMax * thetaMax / ( sigma * sigma ) );

			vec3 accumColor = vec3( 0.0 );
			float accumWeight = 0.0;

			for ( int i = 0; i < SAMPLES; i ++ ) {

				// Stratified inverse-CDF sampling of the Gaussian, placed on a golden-angle spiral.
				float stratum = ( float( i ) + 0.5 ) / float( SAMPLES );
				float theta = sigma * sqrt( - 2.0 * log( 1.0 - stratum * truncation ) );
				float phi = float( i ) * GOLDEN_ANGLE;

				vec3 offset = cos( phi ) * tangent + sin( phi ) * bitangent;
				vec3 sampleDirection = cos( theta ) * outputDirection + sin( theta ) * offset;

				// Correct the planar sample density to solid angle.
				float weight = sin( theta ) / theta;

				accumColor += weight * textureLod( envMap, sampleDirection, 0.0 ).rgb;
				accumWeight += weight;

			}

			gl_FragColor = vec4( accumColor / accumWeight, 1.0 );

		}
	`)}function $m(){return Ja("PMREMEquirectangularToCubemap",{envMap:{value:null}},`

		varying vec3 vWorldDirection;

		uniform sampler2D envMap;

		#include <common>

		void main() {

			// Average four subpixel samples to preserve small, bright features.
			vec3 direction = normalize( vWorldDirection );
			vec3 dx = dFdx( direction ) * 0.25;
			vec3 dy = dFdy( direction ) * 0.25;

			vec3 color = textureLod( envMap, equirectUv( normalize( direction - dx - dy ) ), 0.0 ).rgb;
			color += textureLod( envMap, equirectUv( normalize( direction + dx - dy ) ), 0.0 ).rgb;
			color += textureLod( envMap, equirectUv( normalize( direction - dx + dy ) ), 0.0 ).rgb;
			color += textureLod( envMap, equirectUv( normalize( direction + dx + dy ) ), 0.0 ).rgb;
			gl_FragColor = vec4( color * 0.25, 1.0 );

		}
	`)}function Zm(){return Ja("PMREMCubemapToCubemap",{envMap:{value:null},flipEnvMap:{value:-1}},`

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float flipEnvMap;

		void main() {

			gl_FragColor = vec4( textureCube( envMap, vec3( flipEnvMap * vWorldDirection.x, vWorldDirection.yz ) ).rgb, 1.0 );

		}
	`)}function iM(i){let t=new WeakMap,e=new WeakMap,n=null;function s(d,f=!1){return d==null?null:f?o(d):r(d)}function r(d){if(d&&d.isTexture){let f=d.mapping;if(f===Ic||f===Lc)if(t.has(d)){let g=t.get(d).texture;return a(g,d.mapping)}else{let g=d.image;if(g&&g.height>0){let v=new Za(g.height);return v.fromEquirectangularTexture(i,d),t.set(d,v),d.addEventListener("dispose",c),a(v.texture,d.mapping)}else return null}}return d}function o(d){if(d&&d.isTexture&&d.isPMREMTexture!==!0){let f=d.mapping,g=f===Ic||f===Lc,v=f===vr||f===Ao;if(g||v){let p=e.get(d),m=p!==void 0?p.texture.pmremVersion:0;if(d.isRenderTargetTexture&&d.pmremVersion!==m)return n===null&&(n=new vh(i)),p=g?n.fromEquirectangular(d,p):n.fromCubemap(d,p),p.texture.pmremVersion=d.pmremVersion,e.set(d,p),p.texture;if(p!==void 0)return p.texture;{let y=d.image;return g&&y&&y.height>0||v&&y&&l(y)?(n===null&&(n=new vh(i)),p=g?n.fromEquirectangular(d):n.fromCubemap(d),p.texture.pmremVersion=d.pmremVersion,e.set(d,p),d.addEventListener("dispose",h),p.texture):null}}}return d}function a(d,f){return f===Ic?d.mapping=vr:f===Lc&&(d.mapping=Ao),d}function l(d){let f=0,g=6;for(let v=0;v<g;v++)d[v]!==void 0&&f++;return f===g}function c(d){let f=d.target;f.removeEventListener("dispose",c);let g=t.get(f);g!==void 0&&(t.delete(f),g.dispose())}function h(d){let f=d.target;f.removeEventListener("dispose",h);let g=e.get(f);g!==void 0&&(e.delete(f),g.dispose())}function u(){t=new WeakMap,e=new WeakMap,n!==null&&(n.dispose(),n=null)}return{get:s,dispose:u}}function sM(i){let t={};function e(n){if(t[n]!==void 0)return t[n];let s=i.getExtension(n);return t[n]=s,s}return{has:function(n){return e(n)!==null},init:function(){e("EXT_color_buffer_float"),e("WEBGL_clip_cull_distance"),e("OES_texture_float_linear"),e("EXT_color_buffer_half_float"),e("WEBGL_multisampled_render_to_texture"),e("WEBGL_render_shared_exponent")},get:function(n){let s=e(n);return s===null&&sa("WebGLRenderer: "+n+" extension not supported."),s}}}function rM(i,t,e,n){let s={},r=new WeakMap,o=new FinalizationRegistry(g=>delete s[g]);function a(g){l(g.target)}function l(g){g.index!==null&&t.remove(g.index);for(let p in g.attributes)t.remove(g.attributes[p]);g.removeEventListener("dispose",a),delete s[g.id],o.unregister(g);let v=r.get(g);v&&(t.remove(v),r.delete(g)),n.releaseStatesOfGeometry(g),g.isInstancedBufferGeometry===!0&&delete g._maxInstanceCount,e.memory.geometries--}function c(g,v){return s[v.id]!==void 0||(v.addEventListener("dispose",a),s[v.id]=new WeakRef(v),o.register(v,v.id,v),e.memory.geometries++),v}function h(g){let v=g.attributes;for(let p in v)t.update(v[p],i.ARRAY_BUFFER)}function u(g){let v=g.index,p=g.attributes.position,m=0;if(p===void 0)return;let y=v!==null?v.array.length:p.array.length/3-1,T=p.count>=65535?_a:ga,S=new T(Math.ceil(y/3)*6,1),C=S.array;if(v!==null){let _=v.array;m=v.version;for(let w=0,F=0;w<y;w+=3){let I=_[w+0],L=_[w+1],z=_[w+2];C[F++]=I,C[F++]=L,C[F++]=L,C[F++]=z,C[F++]=z,C[F++]=I}}else{m=p.version;for(let _=0,w=0;_<y;_+=3){let F=_+0,I=_+1,L=_+2;C[w++]=F,C[w++]=I,C[w++]=I,C[w++]=L,C[w++]=L,C[w++]=F}}S.version=m;let E=r.get(g);E&&t.remove(E),r.set(g,S)}function d(g){let v=r.get(g);if(v){let p=g.index;p!==null&&v.version<p.version&&u(g)}else u(g);return r.get(g)}function f(){for(let g in s){let v=s[g].deref();v!==void 0&&l(v)}}return{get:c,update:h,getWireframeAttribute:d,dispose:f}}function oM(i,t,e){let n;function s(u){n=u}let r,o;function a(u){r=u.type,o=u.bytesPerElement}function l(u,d){i.drawElements(n,d,r,u*o),e.update(d,n,1)}function c(u,d,f){f!==0&&(i.drawElementsInstanced(n,d,r,u*o,f),e.update(d,n,f))}function h(u,d,f){if(f===0)return;t.get("WEBGL_multi_draw").multiDrawElementsWEBGL(n,d,0,r,u,0,f);let v=0;for(let p=0;p<f;p++)v+=d[p];e.update(v,n,1)}this.setMode=s,this.setIndex=a,this.render=l,this.renderInstances=c,this.renderMultiDraw=h}function aM(i){let t={geometries:0,textures:0},e={frame:0,calls:0,triangles:0,points:0,lines:0};function n(r,o,a){switch(e.calls++,o){case i.TRIANGLES:e.triangles+=a*(r/3);break;case i.LINES:e.lines+=a*(r/2);break;case i.LINE_STRIP:e.lines+=a*(r-1);break;case i.LINE_LOOP:e.lines+=a*r;break;case i.POINTS:e.points+=a*r;break;default:Qt("WebGLInfo: Unknown draw mode:",o);break}}function s(){e.calls=0,e.triangles=0,e.points=0,e.lines=0}return{memory:t,render:e,programs:null,autoReset:!0,reset:s,update:n}}function lM(i,t,e){let n=new WeakMap,s=new Ce;function r(o,a,l){let c=o.morphTargetInfluences,h=a.morphAttributes.position||a.morphAttributes.normal||a.morphAttributes.color,u=h!==void 0?h.length:0,d=n.get(a);if(d===void 0||d.count!==u){let F=function(){_.dispose(),n.delete(a),a.removeEventListener("dispose",F)};d!==void 0&&d.texture.dispose();let f=a.morphAttributes.position!==void 0,g=a.morphAttributes.normal!==void 0,v=a.morphAttributes.color!==void 0,p=a.morphAttributes.position||[],m=a.morphAttributes.normal||[],y=a.morphAttributes.color||[],T=0;f===!0&&(T=1),g===!0&&(T=2),v===!0&&(T=3);let S=a.attributes.position.count*T,C=1;S>t.maxTextureSize&&(C=Math.ceil(S/t.maxTextureSize),S=t.maxTextureSize);let E=new Float32Array(S*C*4*u),_=new pa(E,S,C,u);_.type=wi,_.needsUpdate=!0;let w=T*4;for(let I=0;I<u;I++){let L=p[I],z=m[I],H=y[I],N=S*C*4*I;for(let W=0;W<L.count;W++){let Y=W*w;f===!0&&(s.fromBufferAttribute(L,W),E[N+Y+0]=s.x,E[N+Y+1]=s.y,E[N+Y+2]=s.z,E[N+Y+3]=0),g===!0&&(s.fromBufferAttribute(z,W),E[N+Y+4]=s.x,E[N+Y+5]=s.y,E[N+Y+6]=s.z,E[N+Y+7]=0),v===!0&&(s.fromBufferAttribute(H,W),E[N+Y+8]=s.x,E[N+Y+9]=s.y,E[N+Y+10]=s.z,E[N+Y+11]=H.itemSize===4?s.w:1)}}d={count:u,texture:_,size:new Gt(S,C)},n.set(a,d),a.addEventListener("dispose",F)}if(o.isInstancedMesh===!0&&o.morphTexture!==null)l.getUniforms().setValue(i,"morphTexture",o.morphTexture,e);else{let f=0;for(let v=0;v<c.length;v++)f+=c[v];let g=a.morphTargetsRelative?1:1-f;l.getUniforms().setValue(i,"morphTargetBaseInfluence",g),l.getUniforms().setValue(i,"morphTargetInfluences",c)}l.getUniforms().setValue(i,"morphTargetsTexture",d.texture,e),l.getUniforms().setValue(i,"morphTargetsTextureSize",d.size)}return{update:r}}function cM(i,t,e,n,s){let r=new WeakMap;function o(c){let h=s.render.frame,u=c.geometry,d=t.get(c,u);if(r.get(d)!==h&&(t.update(d),r.set(d,h)),c.isInstancedMesh&&(c.hasEventListener("dispose",l)===!1&&c.addEventListener("dispose",l),r.get(c)!==h&&(e.update(c.instanceMatrix,i.ARRAY_BUFFER),c.instanceColor!==null&&e.update(c.instanceColor,i.ARRAY_BUFFER),r.set(c,h))),c.isSkinnedMesh){let f=c.skeleton;r.get(f)!==h&&(f.update(),r.set(f,h))}return d}function a(){r=new WeakMap}function l(c){let h=c.target;h.removeEventListener("dispose",l),n.releaseStatesOfObject(h),e.remove(h.instanceMatrix),h.instanceColor!==null&&e.remove(h.instanceColor)}return{update:o,dispose:a}}var hM={[dd]:"LINEAR_TONE_MAPPING",[fd]:"REINHARD_TONE_MAPPING",[pd]:"CINEON_TONE_MAPPING",[md]:"ACES_FILMIC_TONE_MAPPING",[_d]:"AGX_TONE_MAPPING",[xd]:"NEUTRAL_TONE_MAPPING",[gd]:"CUSTOM_TONE_MAPPING"};function uM(i,t,e,n,s,r){let o=new ui(t,e,{type:i,depthBuffer:s,stencilBuffer:r,samples:n?4:0,storeMultisampledDepthBuffer:!1,storeMultisampledStencilBuffer:!1,resolveDepthBuffer:!1,resolveStencilBuffer:!1}),a=null,l=null,c=null,h=new un;h.setAttribute("position",new Me([-1,3,0,-1,-1,0,3,-1,0],3)),h.setAttribute("uv",new Me([0,2,0,0,2,0],2));let u=new mc({uniforms:{tDiffuse:{value:null}},vertexShader:`
			precision highp float;

			uniform mat4 modelViewMatrix;
			uniform mat4 projectionMatrix;

			attribute vec3 position;
			attribute vec2 uv;

			varying vec2 vUv;

			void main() {
				vUv = uv;
				gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
			}`,fragmentShader:`
			precision highp float;

			uniform sampler2D tDiffuse;

			varying vec2 vUv;

			#include <tonemapping_pars_fragment>
			#include <colorspace_pars_fragment>

			void main() {
				gl_FragColor = texture2D( tDiffuse, vUv );

				#ifdef LINEAR_TONE_MAPPING
					gl_FragColor.rgb = LinearToneMapping( gl_FragColor.rgb );
				#elif defined( REINHARD_TONE_MAPPING )
					gl_FragColor.rgb = ReinhardToneMapping( gl_FragColor.rgb );
				#elif defined( CINEON_TONE_MAPPING )
					gl_FragColor.rgb = CineonToneMapping( gl_FragColor.rgb );
				#elif defined( ACES_FILMIC_TONE_MAPPING )
					gl_FragColor.rgb = ACESFilmicToneMapping( gl_FragColor.rgb );
				#elif defined( AGX_TONE_MAPPING )
					gl_FragColor.rgb = AgXToneMapping( gl_FragColor.rgb );
				#elif defined( NEUTRAL_TONE_MAPPING )
					gl_FragColor.rgb = NeutralToneMapping( gl_FragColor.rgb );
				#elif defined( CUSTOM_TONE_MAPPING )
					gl_FragColor.rgb = CustomToneMapping( gl_FragColor.rgb );
				#endif

				#ifdef SRGB_TRANSFER
					gl_FragColor = sRGBTransferOETF( gl_FragColor );
				#endif
			}`,depthTest:!1,depthWrite:!1}),d=new Gn(h,u),f=new gr(-1,1,1,-1,0,1),g=null,v=null,p=!1,m,y=null,T=[],S=!1;this.setSize=function(C,E){o.setSize(C,E),a!==null&&a.setSize(C,E),l!==null&&l.setSize(C,E);for(let _=0;_<T.length;_++){let w=T[_];w.setSize&&w.setSize(C,E)}},this.setEffects=function(C){T=C,S=T.length>0&&T[0].isRenderPass===!0;let E=o.width,_=o.height;T.length>0&&a===null&&(a=new ui(E,_,{type:Oi,depthBuffer:!1,stencilBuffer:!1}),l=new ui(E,_,{type:Oi,depthBuffer:!1,stencilBuffer:!1}));let w=s===!0&&T.some(F=>F.needsDepthTexture===!0);w!==(o.depthTexture!==null)&&(w===!0&&c===null&&(c=new ys(E,_),r===!0&&(c.format=Ss,c.type=Sr)),o.dispose(),o.depthTexture=w?c:null,o.resolveDepthBuffer=w,o.storeMultisampledDepthBuffer=w);for(let F=0;F<T.length;F++){let I=T[F];I.setSize&&I.setSize(E,_),w&&I.needsDepthTexture===!0&&I.setDepthTexture&&I.setDepthTexture(c)}},this.begin=function(C,E){if(p||C.toneMapping===ts&&T.length===0)return!1;if(y=E,E!==null){let _=E.width,w=E.height;(o.width!==_||o.height!==w)&&this.setSize(_,w)}return S===!1&&C.setRenderTarget(o),m=C.toneMapping,C.toneMapping=ts,!0},this.hasRenderPass=function(){return S},this.end=function(C,E){C.toneMapping=m,p=!0;let _=o,w=a;for(let F=0;F<T.length;F++){let I=T[F];I.enabled!==!1&&(I.render(C,w,_,E),I.needsSwap!==!1&&(_=w,w=w===a?l:a))}if(g!==C.outputColorSpace||v!==C.toneMapping){g=C.outputColorSpace,v=C.toneMapping,u.defines={},ge.getTransfer(g)===Ee&&(u.defines.SRGB_TRANSFER="");let F=hM[v];F&&(u.defines[F]=""),u.needsUpdate=!0}u.uniforms.tDiffuse.value=_.texture,C.setRenderTarget(y),C.render(d,f),y=null,p=!1},this.isCompositing=function(){return p},this.dispose=function(){o.dispose(),a!==null&&a.dispose(),l!==null&&l.dispose(),h.dispose(),u.dispose()}}var _g=new ii,xg=new ys(1,1),yg=new Sa(1),vg=new pa,Sg=new tc,Mg=new va,Jm=[],Km=[],jm=new Float32Array(16),Qm=new Float32Array(9),tg=new Float32Array(4);function Co(i,t,e){let n=i[0];if(n<=0||n>0)return i;let s=t*e,r=Jm[s];if(r===void 0&&(r=new Float32Array(s),Jm[s]=r),t!==0){n.toArray(r,0);for(let o=1,a=0;o!==t;++o)a+=e,i[o].toArray(r,a)}return r}function _n(i,t){if(i.length!==t.length)return!1;for(let e=0,n=i.length;e<n;e++)if(i[e]!==t[e])return!1;return!0}function xn(i,t){for(let e=0,n=t.length;e<n;e++)i[e]=t[e]}function Mh(i,t){let e=Km[t];e===void 0&&(e=new Int32Array(t),Km[t]=e);for(let n=0;n!==t;++n)e[n]=i.allocateTextureUnit();return e}function dM(i,t){let e=this.cache;e[0]!==t&&(i.uniform1f(this.addr,t),e[0]=t)}function fM(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y)&&(i.uniform2f(this.addr,t.x,t.y),e[0]=t.x,e[1]=t.y);else{if(_n(e,t))return;i.uniform2fv(this.addr,t),xn(e,t)}}function pM(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y||e[2]!==t.z)&&(i.uniform3f(this.addr,t.x,t.y,t.z),e[0]=t.x,e[1]=t.y,e[2]=t.z);else if(t.r!==void 0)(e[0]!==t.r||e[1]!==t.g||e[2]!==t.b)&&(i.uniform3f(this.addr,t.r,t.g,t.b),e[0]=t.r,e[1]=t.g,e[2]=t.b);else{if(_n(e,t))return;i.uniform3fv(this.addr,t),xn(e,t)}}function mM(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y||e[2]!==t.z||e[3]!==t.w)&&(i.uniform4f(this.addr,t.x,t.y,t.z,t.w),e[0]=t.x,e[1]=t.y,e[2]=t.z,e[3]=t.w);else{if(_n(e,t))return;i.uniform4fv(this.addr,t),xn(e,t)}}function gM(i,t){let e=this.cache,n=t.elements;if(n===void 0){if(_n(e,t))return;i.uniformMatrix2fv(this.addr,!1,t),xn(e,t)}else{if(_n(e,n))return;tg.set(n),i.uniformMatrix2fv(this.addr,!1,tg),xn(e,n)}}function _M(i,t){let e=this.cache,n=t.elements;if(n===void 0){if(_n(e,t))return;i.uniformMatrix3fv(this.addr,!1,t),xn(e,t)}else{if(_n(e,n))return;Qm.set(n),i.uniformMatrix3fv(this.addr,!1,Qm),xn(e,n)}}function xM(i,t){let e=this.cache,n=t.elements;if(n===void 0){if(_n(e,t))return;i.uniformMatrix4fv(this.addr,!1,t),xn(e,t)}else{if(_n(e,n))return;jm.set(n),i.uniformMatrix4fv(this.addr,!1,jm),xn(e,n)}}function yM(i,t){let e=this.cache;e[0]!==t&&(i.uniform1i(this.addr,t),e[0]=t)}function vM(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y)&&(i.uniform2i(this.addr,t.x,t.y),e[0]=t.x,e[1]=t.y);else{if(_n(e,t))return;i.uniform2iv(this.addr,t),xn(e,t)}}function SM(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y||e[2]!==t.z)&&(i.uniform3i(this.addr,t.x,t.y,t.z),e[0]=t.x,e[1]=t.y,e[2]=t.z);else{if(_n(e,t))return;i.uniform3iv(this.addr,t),xn(e,t)}}function MM(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y||e[2]!==t.z||e[3]!==t.w)&&(i.uniform4i(this.addr,t.x,t.y,t.z,t.w),e[0]=t.x,e[1]=t.y,e[2]=t.z,e[3]=t.w);else{if(_n(e,t))return;i.uniform4iv(this.addr,t),xn(e,t)}}function bM(i,t){let e=this.cache;e[0]!==t&&(i.uniform1ui(this.addr,t),e[0]=t)}function wM(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y)&&(i.uniform2ui(this.addr,t.x,t.y),e[0]=t.x,e[1]=t.y);else{if(_n(e,t))return;i.uniform2uiv(this.addr,t),xn(e,t)}}function AM(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y||e[2]!==t.z)&&(i.uniform3ui(this.addr,t.x,t.y,t.z),e[0]=t.x,e[1]=t.y,e[2]=t.z);else{if(_n(e,t))return;i.uniform3uiv(this.addr,t),xn(e,t)}}function TM(i,t){let e=this.cache;if(t.x!==void 0)(e[0]!==t.x||e[1]!==t.y||e[2]!==t.z||e[3]!==t.w)&&(i.uniform4ui(this.addr,t.x,t.y,t.z,t.w),e[0]=t.x,e[1]=t.y,e[2]=t.z,e[3]=t.w);else{if(_n(e,t))return;i.uniform4uiv(this.addr,t),xn(e,t)}}function bh(i){return i.version===0&&(i.compareFunction=Cd,i.needsUpdate=!0),i}function EM(i,t,e){let n=this.cache,s=e.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s);let r;this.type===i.SAMPLER_2D_SHADOW?r=bh(xg):r=_g,e.setTexture2D(t||r,s)}function CM(i,t,e){let n=this.cache,s=e.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),e.setTexture3D(t||Sg,s)}function RM(i,t,e){let n=this.cache,s=e.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s);let r;this.type===i.SAMPLER_CUBE_SHADOW?r=bh(yg):r=Mg,e.setTextureCube(t||r,s)}function PM(i,t,e){let n=this.cache,s=e.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),e.setTexture2DArray(t||vg,s)}function IM(i){switch(i){case 5126:return dM;case 35664:return fM;case 35665:return pM;case 35666:return mM;case 35674:return gM;case 35675:return _M;case 35676:return xM;case 5124:case 35670:return yM;case 35667:case 35671:return vM;case 35668:case 35672:return SM;case 35669:case 35673:return MM;case 5125:return bM;case 36294:return wM;case 36295:return AM;case 36296:return TM;case 35678:case 36198:case 36298:case 36306:case 35682:return EM;case 35679:case 36299:case 36307:return CM;case 35680:case 36300:case 36308:case 36293:return RM;case 36289:case 36303:case 36311:case 36292:return PM}}function LM(i,t){i.uniform1fv(this.addr,t)}function DM(i,t){let e=Co(t,this.size,2);i.uniform2fv(this.addr,e)}function NM(i,t){let e=Co(t,this.size,3);i.uniform3fv(this.addr,e)}function UM(i,t){let e=Co(t,this.size,4);i.uniform4fv(this.addr,e)}function FM(i,t){let e=Co(t,this.size,4);i.uniformMatrix2fv(this.addr,!1,e)}function OM(i,t){let e=Co(t,this.size,9);i.uniformMatrix3fv(this.addr,!1,e)}function BM(i,t){let e=Co(t,this.size,16);i.uniformMatrix4fv(this.addr,!1,e)}function kM(i,t){i.uniform1iv(this.addr,t)}function zM(i,t){i.uniform2iv(this.addr,t)}function VM(i,t){i.uniform3iv(this.addr,t)}function GM(i,t){i.uniform4iv(this.addr,t)}function HM(i,t){i.uniform1uiv(this.addr,t)}function WM(i,t){i.uniform2uiv(this.addr,t)}function XM(i,t){i.uniform3uiv(this.addr,t)}function qM(i,t){i.uniform4uiv(this.addr,t)}function YM(i,t,e){let n=this.cache,s=t.length,r=Mh(e,s);_n(n,r)||(i.uniform1iv(this.addr,r),xn(n,r));let o;this.type===i.SAMPLER_2D_SHADOW?o=bh(xg):o=_g;for(let a=0;a!==s;++a)e.setTexture2D(t[a]||o,r[a])}function $M(i,t,e){let n=this.cache,s=t.length,r=Mh(e,s);_n(n,r)||(i.uniform1iv(this.addr,r),xn(n,r));for(let o=0;o!==s;++o)e.setTexture3D(t[o]||Sg,r[o])}function ZM(i,t,e){let n=this.cache,s=t.length,r=Mh(e,s);_n(n,r)||(i.uniform1iv(this.addr,r),xn(n,r));let o;this.type===i.SAMPLER_CUBE_SHADOW?o=bh(yg):o=Mg;for(let a=0;a!==s;++a)e.setTextureCube(t[a]||o,r[a])}function JM(i,t,e){let n=this.cache,s=t.length,r=Mh(e,s);_n(n,r)||(i.uniform1iv(this.addr,r),xn(n,r));for(let o=0;o!==s;++o)e.setTexture2DArray(t[o]||vg,r[o])}function KM(i){switch(i){case 5126:return LM;case 35664:return DM;case 35665:return NM;case 35666:return UM;case 35674:return FM;case 35675:return OM;case 35676:return BM;case 5124:case 35670:return kM;case 35667:case 35671:return zM;case 35668:case 35672:return VM;case 35669:case 35673:return GM;case 5125:return HM;case 36294:return WM;case 36295:return XM;case 36296:return qM;case 35678:case 36198:case 36298:case 36306:case 35682:return YM;case 35679:case 36299:case 36307:return $M;case 35680:case 36300:case 36308:case 36293:return ZM;case 36289:case 36303:case 36311:case 36292:return JM}}var Wd=class{constructor(t,e,n){this.id=t,this.addr=n,this.cache=[],this.type=e.type,this.setValue=IM(e.type)}},Xd=class{constructor(t,e,n){this.id=t,this.addr=n,this.cache=[],this.type=e.type,this.size=e.size,this.setValue=KM(e.type)}},qd=class{constructor(t){this.id=t,this.seq=[],this.map={}}setValue(t,e,n){let s=this.seq;for(let r=0,o=s.length;r!==o;++r){let a=s[r];a.setValue(t,e[a.id],n)}}},Gd=/(\w+)(\])?(\[|\.)?/g;function eg(i,t){i.seq.push(t),i.map[t.id]=t}function jM(i,t,e){let n=i.name,s=n.length;for(Gd.lastIndex=0;;){let r=Gd.exec(n),o=Gd.lastIndex,a=r[1],l=r[2]==="]",c=r[3];if(l&&(a=a|0),c===void 0||c==="["&&o+2===s){eg(e,c===void 0?new Wd(a,i,t):new Xd(a,i,t));break}else{let u=e.map[a];u===void 0&&(u=new qd(a),eg(e,u)),e=u}}}var Eo=class{constructor(t,e){this.seq=[],this.map={};let n=t.getProgramParameter(e,t.ACTIVE_UNIFORMS);for(let o=0;o<n;++o){let a=t.getActiveUniform(e,o),l=t.getUniformLocation(e,a.name);jM(a,l,this)}let s=[],r=[];for(let o of this.seq)o.type===t.SAMPLER_2D_SHADOW||o.type===t.SAMPLER_CUBE_SHADOW||o.type===t.SAMPLER_2D_ARRAY_SHADOW?s.push(o):r.push(o);s.length>0&&(this.seq=s.concat(r))}setValue(t,e,n,s){let r=this.map[e];r!==void 0&&r.setValue(t,n,s)}setOptional(t,e,n){let s=e[n];s!==void 0&&this.setValue(t,n,s)}static upload(t,e,n,s){for(let r=0,o=e.length;r!==o;++r){let a=e[r],l=n[a.id];l.needsUpdate!==!1&&a.setValue(t,l.value,s)}}static seqWithValue(t,e){let n=[];for(let s=0,r=t.length;s!==r;++s){let o=t[s];o.id in e&&n.push(o)}return n}};function ng(i,t,e){let n=i.createShader(t);return i.shaderSource(n,e),i.compileShader(n),n}var QM=37297,tb=0;function eb(i,t){let e=i.split(`
`),n=[],s=Math.max(t-6,0),r=Math.min(t+6,e.length);for(let o=s;o<r;o++){let a=o+1;n.push(`${a===t?">":" "} ${a}: ${e[o]}`)}return n.join(`
`)}var ig=new ee;function nb(i){ge._getMatrix(ig,ge.workingColorSpace,i);let t=`mat3( ${ig.elements.map(e=>e.toFixed(4))} )`;switch(ge.getTransfer(i)){case ua:return[t,"LinearTransferOETF"];case Ee:return[t,"sRGBTransferOETF"];default:return $t("WebGLProgram: Unsupported color space: ",i),[t,"LinearTransferOETF"]}}function sg(i,t,e){let n=i.getShaderParameter(t,i.COMPILE_STATUS),r=(i.getShaderInfoLog(t)||"").trim();if(n&&r==="")return"";let o=/ERROR: 0:(\d+)/.exec(r);if(o){let a=parseInt(o[1]);return e.toUpperCase()+`

`+r+`

`+eb(i.getShaderSource(t),a)}else return r}function ib(i,t){let e=nb(t);return[`vec4 ${i}( vec4 value ) {`,`	return ${e[1]}( vec4( ${e[0]} * value.rgb, value.a ) );`,"}"].join(`
`)}var sb={[dd]:"Linear",[fd]:"Reinhard",[pd]:"Cineon",[md]:"ACESFilmic",[_d]:"AgX",[xd]:"Neutral",[gd]:"Custom"};function rb(i,t){let e=sb[t];return e===void 0?($t("WebGLProgram: Unsupported toneMapping:",t),"vec3 "+i+"( vec3 color ) { return LinearToneMapping( color ); }"):"vec3 "+i+"( vec3 color ) { return "+e+"ToneMapping( color ); }"}var yh=new U;function ob(){ge.getLuminanceCoefficients(yh);let i=yh.x.toFixed(4),t=yh.y.toFixed(4),e=yh.z.toFixed(4);return["float luminance( const in vec3 rgb ) {",`	const vec3 weights = vec3( ${i}, ${t}, ${e} );`,"	return dot( weights, rgb );","}"].join(`
`)}function ab(i){return[i.extensionClipCullDistance?"#extension GL_ANGLE_clip_cull_distance : require":"",i.extensionMultiDraw?"#extension GL_ANGLE_multi_draw : require":""].filter($a).join(`
`)}function lb(i){let t=[];for(let e in i){let n=i[e];n!==!1&&t.push("#define "+e+" "+n)}return t.join(`
`)}function cb(i,t){let e={},n=i.getProgramParameter(t,i.ACTIVE_ATTRIBUTES);for(let s=0;s<n;s++){let r=i.getActiveAttrib(t,s),o=r.name,a=1;r.type===i.FLOAT_MAT2&&(a=2),r.type===i.FLOAT_MAT3&&(a=3),r.type===i.FLOAT_MAT4&&(a=4),e[o]={type:r.type,location:i.getAttribLocation(t,o),locationSize:a}}return e}function $a(i){return i!==""}function rg(i,t){let e=t.numSpotLightShadows+t.numSpotLightMaps-t.numSpotLightShadowsWithMaps;return i.replace(/NUM_SUN_LIGHTS/g,t.numSunLights).replace(/NUM_DIR_LIGHTS/g,t.numDirLights).replace(/NUM_SPOT_LIGHTS/g,t.numSpotLights).replace(/NUM_SPOT_LIGHT_MAPS/g,t.numSpotLightMaps).replace(/NUM_SPOT_LIGHT_COORDS/g,e).replace(/NUM_RECT_AREA_LIGHTS/g,t.numRectAreaLights).replace(/NUM_POINT_LIGHTS/g,t.numPointLights).replace(/NUM_HEMI_LIGHTS/g,t.numHemiLights).replace(/NUM_SUN_LIGHT_SHADOWS/g,t.numSunLightShadows).replace(/NUM_DIR_LIGHT_SHADOWS/g,t.numDirLightShadows).replace(/NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS/g,t.numSpotLightShadowsWithMaps).replace(/NUM_SPOT_LIGHT_SHADOWS/g,t.numSpotLightShadows).replace(/NUM_POINT_LIGHT_SHADOWS/g,t.numPointLightShadows).replace(/NUM_LIGHT_PROBE_GRIDS/g,t.numLightProbeGrids)}function og(i,t){return i.replace(/NUM_CLIPPING_PLANES/g,t.numClippingPlanes).replace(/UNION_CLIPPING_PLANES/g,t.numClippingPlanes-t.numClipIntersection)}var hb=/^[ \t]*#include +<([\w\d./]+)>/gm;function Yd(i){return i.replace(hb,ub)}function ub(i,t){let e=he[t];if(e===void 0)throw new Error("THREE.WebGLProgram: Can not resolve #include <"+t+">");return Yd(e)}var db=/#pragma unroll_loop_start\s+for\s*\(\s*int\s+i\s*=\s*(\d+)\s*;\s*i\s*<\s*(\d+)\s*;\s*i\s*\+\+\s*\)\s*{([\s\S]+?)}\s+#pragma unroll_loop_end/g;function ag(i){return i.replace(db,fb)}function fb(i,t,e,n){let s="";for(let r=parseInt(t);r<parseInt(e);r++)s+=n.replace(/\[\s*i\s*\]/g,"[ "+r+" ]").replace(/UNROLLED_LOOP_INDEX/g,r);return s}function lg(i){let t=`precision ${i.precision} float;
	precision ${i.precision} int;
	precision ${i.precision} sampler2D;
	precision ${i.precision} samplerCube;
	precision ${i.precision} sampler3D;
	precision ${i.precision} sampler2DArray;
	precision ${i.precision} sampler2DShadow;
	precision ${i.precision} samplerCubeShadow;
	precision ${i.precision} sampler2DArrayShadow;
	precision ${i.precision} isampler2D;
	precision ${i.precision} isampler3D;
	precision ${i.precision} isamplerCube;
	precision ${i.precision} isampler2DArray;
	precision ${i.precision} usampler2D;
	precision ${i.precision} usampler3D;
	precision ${i.precision} usamplerCube;
	precision ${i.precision} usampler2DArray;
	`;return i.precision==="highp"?t+=`
#define HIGH_PRECISION`:i.precision==="mediump"?t+=`
#define MEDIUM_PRECISION`:i.precision==="lowp"&&(t+=`
#define LOW_PRECISION`),t}var pb={[_r]:"SHADOWMAP_TYPE_PCF",[bo]:"SHADOWMAP_TYPE_VSM"};function mb(i){return pb[i.shadowMapType]||"SHADOWMAP_TYPE_BASIC"}var gb={[Ao]:"ENVMAP_MODE_REFRACTION"};function _b(i){return i.envMap===!1?"ENVMAP_MODE_REFLECTION":gb[i.envMapMode]||"ENVMAP_MODE_REFLECTION"}var xb={[Pc]:"ENVMAP_BLENDING_MULTIPLY",[Cm]:"ENVMAP_BLENDING_MIX",[Rm]:"ENVMAP_BLENDING_ADD"};function yb(i){return i.envMap===!1?"ENVMAP_BLENDING_NONE":xb[i.combine]||"ENVMAP_BLENDING_NONE"}function vb(i,t,e,n){let s=i.getContext(),r=e.defines,o=e.vertexShader,a=e.fragmentShader,l=mb(e),c=e.envMapPMREM===!0?"ENVMAP_TYPE_PMREM":"ENVMAP_TYPE_CUBE",h=_b(e),u=yb(e),d=ab(e),f=lb(r),g=s.createProgram(),v,p,m=e.glslVersion?"#version "+e.glslVersion+`
`:"";e.isRawShaderMaterial?(v=["#define SHADER_TYPE "+e.shaderType,"#define SHADER_NAME "+e.shaderName,f].filter($a).join(`
`),v.length>0&&(v+=`
`),p=["#define SHADER_TYPE "+e.shaderType,"#define SHADER_NAME "+e.shaderName,f].filter($a).join(`
`),p.length>0&&(p+=`
`)):(v=[lg(e),"#define SHADER_TYPE "+e.shaderType,"#define SHADER_NAME "+e.shaderName,f,e.extensionClipCullDistance?"#define USE_CLIP_DISTANCE":"",e.batching?"#define USE_BATCHING":"",e.batchingColor?"#define USE_BATCHING_COLOR":"",e.instancing?"#define USE_INSTANCING":"",e.instancingColor?"#define USE_INSTANCING_COLOR":"",e.instancingMorph?"#define USE_INSTANCING_MORPH":"",e.useFog&&e.fog?"#define USE_FOG":"",e.useFog&&e.fogExp2?"#define FOG_EXP2":"",e.map?"#define USE_MAP":"",e.envMap?"#define USE_ENVMAP":"",e.envMap?"#define "+h:"",e.lightMap?"#define USE_LIGHTMAP":"",e.aoMap?"#define USE_AOMAP":"",e.bumpMap?"#define USE_BUMPMAP":"",e.normalMap?"#define USE_NORMALMAP":"",e.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",e.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",e.displacementMap?"#define USE_DISPLACEMENTMAP":"",e.emissiveMap?"#define USE_EMISSIVEMAP":"",e.anisotropy?"#define USE_ANISOTROPY":"",e.anisotropyMap?"#define USE_ANISOTROPYMAP":"",e.clearcoatMap?"#define USE_CLEARCOATMAP":"",e.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",e.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",e.diffuseRoughnessMap?"#define USE_DIFFUSE_ROUGHNESSMAP":"",e.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",e.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",e.specularMap?"#define USE_SPECULARMAP":"",e.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",e.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",e.roughnessMap?"#define USE_ROUGHNESSMAP":"",e.metalnessMap?"#define USE_METALNESSMAP":"",e.alphaMap?"#define USE_ALPHAMAP":"",e.alphaHash?"#define USE_ALPHAHASH":"",e.transmission?"#define USE_TRANSMISSION":"",e.transmissionMap?"#define USE_TRANSMISSIONMAP":"",e.thicknessMap?"#define USE_THICKNESSMAP":"",e.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",e.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",e.mapUv?"#define MAP_UV "+e.mapUv:"",e.alphaMapUv?"#define ALPHAMAP_UV "+e.alphaMapUv:"",e.lightMapUv?"#define LIGHTMAP_UV "+e.lightMapUv:"",e.aoMapUv?"#define AOMAP_UV "+e.aoMapUv:"",e.emissiveMapUv?"#define EMISSIVEMAP_UV "+e.emissiveMapUv:"",e.bumpMapUv?"#define BUMPMAP_UV "+e.bumpMapUv:"",e.normalMapUv?"#define NORMALMAP_UV "+e.normalMapUv:"",e.displacementMapUv?"#define DISPLACEMENTMAP_UV "+e.displacementMapUv:"",e.metalnessMapUv?"#define METALNESSMAP_UV "+e.metalnessMapUv:"",e.roughnessMapUv?"#define ROUGHNESSMAP_UV "+e.roughnessMapUv:"",e.anisotropyMapUv?"#define ANISOTROPYMAP_UV "+e.anisotropyMapUv:"",e.clearcoatMapUv?"#define CLEARCOATMAP_UV "+e.clearcoatMapUv:"",e.clearcoatNormalMapUv?"#define CLEARCOAT_NORMALMAP_UV "+e.clearcoatNormalMapUv:"",e.clearcoatRoughnessMapUv?"#define CLEARCOAT_ROUGHNESSMAP_UV "+e.clearcoatRoughnessMapUv:"",e.diffuseRoughnessMapUv?"#define DIFFUSE_ROUGHNESSMAP_UV "+e.diffuseRoughnessMapUv:"",e.iridescenceMapUv?"#define IRIDESCENCEMAP_UV "+e.iridescenceMapUv:"",e.iridescenceThicknessMapUv?"#define IRIDESCENCE_THICKNESSMAP_UV "+e.iridescenceThicknessMapUv:"",e.sheenColorMapUv?"#define SHEEN_COLORMAP_UV "+e.sheenColorMapUv:"",e.sheenRoughnessMapUv?"#define SHEEN_ROUGHNESSMAP_UV "+e.sheenRoughnessMapUv:"",e.specularMapUv?"#define SPECULARMAP_UV "+e.specularMapUv:"",e.specularColorMapUv?"#define SPECULAR_COLORMAP_UV "+e.specularColorMapUv:"",e.specularIntensityMapUv?"#define SPECULAR_INTENSITYMAP_UV "+e.specularIntensityMapUv:"",e.transmissionMapUv?"#define TRANSMISSIONMAP_UV "+e.transmissionMapUv:"",e.thicknessMapUv?"#define THICKNESSMAP_UV "+e.thicknessMapUv:"",e.vertexTangents&&e.flatShading===!1?"#define USE_TANGENT":"",e.vertexNormals?"#define HAS_NORMAL":"",e.vertexColors?"#define USE_COLOR":"",e.vertexAlphas?"#define USE_COLOR_ALPHA":"",e.vertexUv1s?"#define USE_UV1":"",e.vertexUv2s?"#define USE_UV2":"",e.vertexUv3s?"#define USE_UV3":"",e.pointsUvs?"#define USE_POINTS_UV":"",e.flatShading?"#define FLAT_SHADED":"",e.skinning?"#define USE_SKINNING":"",e.morphTargets?"#define USE_MORPHTARGETS":"",e.morphNormals&&e.flatShading===!1?"#define USE_MORPHNORMALS":"",e.morphColors?"#define USE_MORPHCOLORS":"",e.morphTargetsCount>0?"#define MORPHTARGETS_TEXTURE_STRIDE "+e.morphTextureStride:"",e.morphTargetsCount>0?"#define MORPHTARGETS_COUNT "+e.morphTargetsCount:"",e.doubleSided?"#define DOUBLE_SIDED":"",e.flipSided?"#define FLIP_SIDED":"",e.shadowMapEnabled?"#define USE_SHADOWMAP":"",e.shadowMapEnabled?"#define "+l:"",e.sizeAttenuation?"#define USE_SIZEATTENUATION":"",e.numLightProbes>0?"#define USE_LIGHT_PROBES":"",e.logarithmicDepthBuffer?"#define USE_LOGARITHMIC_DEPTH_BUFFER":"",e.reversedDepthBuffer?"#define USE_REVERSED_DEPTH_BUFFER":"","uniform mat4 modelMatrix;","uniform mat4 modelViewMatrix;","uniform mat4 projectionMatrix;","uniform mat4 viewMatrix;","uniform mat3 normalMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;","#ifdef USE_INSTANCING","	attribute mat4 instanceMatrix;","#endif","#ifdef USE_INSTANCING_COLOR","	attribute vec3 instanceColor;","#endif","#ifdef USE_INSTANCING_MORPH","	uniform sampler2D morphTexture;","#endif","attribute vec3 position;","attribute vec3 normal;","attribute vec2 uv;","#ifdef USE_UV1","	attribute vec2 uv1;","#endif","#ifdef USE_UV2","	attribute vec2 uv2;","#endif","#ifdef USE_UV3","	attribute vec2 uv3;","#endif","#ifdef USE_TANGENT","	attribute vec4 tangent;","#endif","#if defined( USE_COLOR_ALPHA )","	attribute vec4 color;","#elif defined( USE_COLOR )","	attribute vec3 color;","#endif","#ifdef USE_SKINNING","	attribute vec4 skinIndex;","	attribute vec4 skinWeight;","#endif",`
`].filter($a).join(`
`),p=[lg(e),"#define SHADER_TYPE "+e.shaderType,"#define SHADER_NAME "+e.shaderName,f,e.useFog&&e.fog?"#define USE_FOG":"",e.useFog&&e.fogExp2?"#define FOG_EXP2":"",e.alphaToCoverage?"#define ALPHA_TO_COVERAGE":"",e.map?"#define USE_MAP":"",e.matcap?"#define USE_MATCAP":"",e.envMap?"#define USE_ENVMAP":"",e.envMap?"#define "+c:"",e.envMap?"#define "+h:"",e.envMap?"#define "+u:"",e.envMapPMREM?"#define ENVMAP_MAX_LOD "+e.envMapMaxLod+".0":"",e.envMapPMREM?"#define ENVMAP_SIZE "+e.envMapSize+".0":"",e.lightMap?"#define USE_LIGHTMAP":"",e.aoMap?"#define USE_AOMAP":"",e.bumpMap?"#define USE_BUMPMAP":"",e.normalMap?"#define USE_NORMALMAP":"",e.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",e.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",e.packedNormalMap?"#define USE_PACKED_NORMALMAP":"",e.emissiveMap?"#define USE_EMISSIVEMAP":"",e.anisotropy?"#define USE_ANISOTROPY":"",e.anisotropyMap?"#define USE_ANISOTROPYMAP":"",e.clearcoat?"#define USE_CLEARCOAT":"",e.clearcoatMap?"#define USE_CLEARCOATMAP":"",e.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",e.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",e.diffuseRoughness?"#define USE_DIFFUSE_ROUGHNESS":"",e.diffuseRoughnessMap?"#define USE_DIFFUSE_ROUGHNESSMAP":"",e.dispersion?"#define USE_DISPERSION":"",e.retroreflection?"#define USE_RETROREFLECTION":"",e.iridescence?"#define USE_IRIDESCENCE":"",e.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",e.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",e.specularMap?"#define USE_SPECULARMAP":"",e.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",e.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",e.roughnessMap?"#define USE_ROUGHNESSMAP":"",e.metalnessMap?"#define USE_METALNESSMAP":"",e.alphaMap?"#define USE_ALPHAMAP":"",e.alphaTest?"#define USE_ALPHATEST":"",e.alphaHash?"#define USE_ALPHAHASH":"",e.sheen?"#define USE_SHEEN":"",e.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",e.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",e.transmission?"#define USE_TRANSMISSION":"",e.transmissionMap?"#define USE_TRANSMISSIONMAP":"",e.thicknessMap?"#define USE_THICKNESSMAP":"",e.vertexTangents&&e.flatShading===!1?"#define USE_TANGENT":"",e.vertexColors||e.instancingColor?"#define USE_COLOR":"",e.vertexAlphas||e.batchingColor?"#define USE_COLOR_ALPHA":"",e.vertexUv1s?"#define USE_UV1":"",e.vertexUv2s?"#define USE_UV2":"",e.vertexUv3s?"#define USE_UV3":"",e.pointsUvs?"#define USE_POINTS_UV":"",e.gradientMap?"#define USE_GRADIENTMAP":"",e.flatShading?"#define FLAT_SHADED":"",e.doubleSided?"#define DOUBLE_SIDED":"",e.flipSided?"#define FLIP_SIDED":"",e.shadowMapEnabled?"#define USE_SHADOWMAP":"",e.shadowMapEnabled?"#define "+l:"",e.premultipliedAlpha?"#define PREMULTIPLIED_ALPHA":"",e.numLightProbes>0?"#define USE_LIGHT_PROBES":"",e.decodeVideoTexture?"#define DECODE_VIDEO_TEXTURE":"",e.decodeVideoTextureEmissive?"#define DECODE_VIDEO_TEXTURE_EMISSIVE":"",e.logarithmicDepthBuffer?"#define USE_LOGARITHMIC_DEPTH_BUFFER":"",e.reversedDepthBuffer?"#define USE_REVERSED_DEPTH_BUFFER":"","uniform mat4 viewMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;",e.toneMapping!==ts?"#define TONE_MAPPING":"",e.toneMapping!==ts?he.tonemapping_pars_fragment:"",e.toneMapping!==ts?rb("toneMapping",e.toneMapping):"",e.dithering?"#define DITHERING":"",e.opaque?"#define OPAQUE":"",he.colorspace_pars_fragment,ib("linearToOutputTexel",e.outputColorSpace),ob(),e.useDepthPacking?"#define DEPTH_PACKING "+e.depthPacking:"",`
`].filter($a).join(`
`)),o=Yd(o),o=rg(o,e),o=og(o,e),a=Yd(a),a=rg(a,e),a=og(a,e),o=ag(o),a=ag(a),e.isRawShaderMaterial!==!0&&(m=`#version 300 es
`,v=[d,"#define attribute in","#define varying out","#define texture2D texture"].join(`
`)+`
`+v,p=["#define varying in",e.glslVersion===Id?"":"layout(location = 0) out highp vec4 pc_fragColor;",e.glslVersion===Id?"":"#define gl_FragColor pc_fragColor","#define gl_FragDepthEXT gl_FragDepth","#define texture2D texture","#define textureCube texture","#define texture2DProj textureProj","#define texture2DLodEXT textureLod","#define texture2DProjLodEXT textureProjLod","#define textureCubeLodEXT textureLod","#define texture2DGradEXT textureGrad","#define texture2DProjGradEXT textureProjGrad","#define textureCubeGradEXT textureGrad"].join(`
`)+`
`+p);let y=m+v+o,T=m+p+a,S=ng(s,s.VERTEX_SHADER,y),C=ng(s,s.FRAGMENT_SHADER,T);s.attachShader(g,S),s.attachShader(g,C),e.index0AttributeName!==void 0?s.bindAttribLocation(g,0,e.index0AttributeName):e.hasPositionAttribute===!0&&s.bindAttribLocation(g,0,"position"),s.linkProgram(g);function E(I){if(i.debug.checkShaderErrors){let L=s.getProgramInfoLog(g)||"",z=s.getShaderInfoLog(S)||"",H=s.getShaderInfoLog(C)||"",N=L.trim(),W=z.trim(),Y=H.trim(),G=!0,lt=!0;if(s.getProgramParameter(g,s.LINK_STATUS)===!1)if(G=!1,typeof i.debug.onShaderError=="function")i.debug.onShaderError(s,g,S,C);else{let J=sg(s,S,"vertex"),j=sg(s,C,"fragment");Qt("WebGLProgram: Shader Error "+s.getError()+" - VALIDATE_STATUS "+s.getProgramParameter(g,s.VALIDATE_STATUS)+`

Material Name: `+I.name+`
Material Type: `+I.type+`

Program Info Log: `+N+`
`+J+`
`+j)}else N!==""?$t("WebGLProgram: Program Info Log:",N):(W===""||Y==="")&&(lt=!1);lt&&(I.diagnostics={runnable:G,programLog:N,vertexShader:{log:W,prefix:v},fragmentShader:{log:Y,prefix:p}})}s.deleteShader(S),s.deleteShader(C),_=new Eo(s,g),w=cb(s,g)}let _;this.getUniforms=function(){return _===void 0&&E(this),_};let w;this.getAttributes=function(){return w===void 0&&E(this),w};let F=e.rendererExtensionParallelShaderCompile===!1;return this.isReady=function(){return F===!1&&(F=s.getProgramParameter(g,QM)),F},this.destroy=function(){n.releaseStatesOfProgram(this),s.deleteProgram(g),this.program=void 0},this.type=e.shaderType,this.name=e.shaderName,this.id=tb++,this.cacheKey=t,this.usedTimes=1,this.program=g,this.vertexShader=S,this.fragmentShader=C,this}var Sb=0,$d=class{constructor(){this.shaderCache=new Map,this.materialCache=new Map}update(t,e,n){let s=this._getShaderCacheForMaterial(t);return s.has(e)===!1&&(s.add(e),e.usedTimes++),s.has(n)===!1&&(s.add(n),n.usedTimes++),this}remove(t){let e=this.materialCache.get(t);for(let n of e)n.usedTimes--,n.usedTimes===0&&this.shaderCache.delete(n.code);return this.materialCache.delete(t),this}getVertexShaderStage(t){return this._getShaderStage(t.vertexShader)}getFragmentShaderStage(t){return this._getShaderStage(t.fragmentShader)}dispose(){this.shaderCache.clear(),this.materialCache.clear()}_getShaderCacheForMaterial(t){let e=this.materialCache,n=e.get(t);return n===void 0&&(n=new Set,e.set(t,n)),n}_getShaderStage(t){let e=this.shaderCache,n=e.get(t);return n===void 0&&(n=new Zd(t),e.set(t,n)),n}},Zd=class{constructor(t){this.id=Sb++,this.code=t,this.usedTimes=0}};function Mb(i){return i===qs||i===Ha||i===Wa}function bb(i,t,e,n,s,r){let o=new fo,a=new $d,l=new Set,c=[],h=new Map,u=n.logarithmicDepthBuffer,d={MeshDepthMaterial:"depth",MeshDistanceMaterial:"distance",MeshNormalMaterial:"normal",MeshBasicMaterial:"basic",MeshLambertMaterial:"lambert",MeshPhongMaterial:"phong",MeshToonMaterial:"toon",MeshStandardMaterial:"physical",MeshPhysicalMaterial:"physical",MeshMatcapMaterial:"matcap",LineBasicMaterial:"basic",LineDashedMaterial:"dashed",PointsMaterial:"points",ShadowMaterial:"shadow",SpriteMaterial:"sprite"};function f(_){return l.add(_),_===0?"uv":`uv${_}`}function g(_,w,F,I,L,z){let H=I.fog,N=L.geometry,W=_.isMeshStandardMaterial||_.isMeshLambertMaterial||_.isMeshPhongMaterial?I.environment:null,Y=_.isMeshStandardMaterial||_.isMeshLambertMaterial&&!_.envMap||_.isMeshPhongMaterial&&!_.envMap,G=t.get(_.envMap||W,Y),lt=d[_.type],J=n.precision;_.precision!==null&&(J=n.getMaxPrecision(_.precision),J!==_.precision&&$t("WebGLProgram.getParameters:",_.precision,"not supported, using",J,"instead."));let j=N.morphAttributes.position||N.morphAttributes.normal||N.morphAttributes.color,it=j!==void 0?j.length:0,ut=0;N.morphAttributes.position!==void 0&&(ut=1),N.morphAttributes.normal!==void 0&&(ut=2),N.morphAttributes.color!==void 0&&(ut=3);let ht,Q,pt,_t;if(lt){let Ct=ti[lt];ht=Ct.vertexShader,Q=Ct.fragmentShader}else{ht=_.vertexShader,Q=_.fragmentShader;let Ct=a.getVertexShaderStage(_),ae=a.getFragmentShaderStage(_);a.update(_,Ct,ae),pt=Ct.id,_t=ae.id}let Et=i.getRenderTarget(),Mt=i.state.buffers.depth.getReversed(),Xt=L.isInstancedMesh===!0,se=L.isBatchedMesh===!0,Ht=!!_.map,ue=!!_.matcap,le=!!G,ne=le&&G.isPMREMTexture===!0,qe=!!_.aoMap,Be=!!_.lightMap,nn=!!_.bumpMap&&_.wireframe===!1,De=!!_.normalMap,Sn=!!_.displacementMap,ye=!!_.emissiveMap,fn=!!_.metalnessMap,Ze=!!_.roughnessMap,sn=_.anisotropy>0,B=_.clearcoat>0,Rt=_.diffuseRoughness>0,Zt=_.dispersion>0,re=_.retroreflectivity>0,bt=_.iridescence>0,Ue=_.sheen>0,Vt=_.transmission>0,Yt=sn&&!!_.anisotropyMap,R=B&&!!_.clearcoatMap,M=B&&!!_.clearcoatNormalMap,X=B&&!!_.clearcoatRoughnessMap,ct=Rt&&!!_.diffuseRoughnessMap,rt=bt&&!!_.iridescenceMap,gt=bt&&!!_.iridescenceThicknessMap,xt=Ue&&!!_.sheenColorMap,tt=Ue&&!!_.sheenRoughnessMap,nt=!!_.specularMap,ft=!!_.specularColorMap,O=!!_.specularIntensityMap,st=Vt&&!!_.transmissionMap,et=Vt&&!!_.thicknessMap,wt=!!_.gradientMap,mt=!!_.alphaMap,St=_.alphaTest>0,Wt=!!_.alphaHash,Kt=!!_.extensions,at=ts;_.toneMapped&&(Et===null||Et.isXRRenderTarget===!0)&&(at=i.toneMapping);let Ot=ne?G.isCompressedCubeTexture?G.image[0].mipmaps:G.mipmaps:null,jt={shaderID:lt,shaderType:_.type,shaderName:_.name,vertexShader:ht,fragmentShader:Q,defines:_.defines,customVertexShaderID:pt,customFragmentShaderID:_t,isRawShaderMaterial:_.isRawShaderMaterial===!0,glslVersion:_.glslVersion,precision:J,batching:se,batchingColor:se&&L._colorsTexture!==null,instancing:Xt,instancingColor:Xt&&L.instanceColor!==null,instancingMorph:Xt&&L.morphTexture!==null,outputColorSpace:Et===null?i.outputColorSpace:Et.isXRRenderTarget===!0?Et.texture.colorSpace:ge.workingColorSpace,alphaToCoverage:!!_.alphaToCoverage,map:Ht,matcap:ue,envMap:le,envMapMode:le&&G.mapping,envMapPMREM:ne,envMapMaxLod:ne?Ot.length-1:null,envMapSize:ne?Ot[0].width:null,aoMap:qe,lightMap:Be,bumpMap:nn,normalMap:De,displacementMap:Sn,emissiveMap:ye,normalMapObjectSpace:De&&_.normalMapType===Lm,normalMapTangentSpace:De&&_.normalMapType===Xa,packedNormalMap:De&&_.normalMapType===Xa&&Mb(_.normalMap.format),metalnessMap:fn,roughnessMap:Ze,anisotropy:sn,anisotropyMap:Yt,clearcoat:B,clearcoatMap:R,clearcoatNormalMap:M,clearcoatRoughnessMap:X,diffuseRoughness:Rt,diffuseRoughnessMap:ct,dispersion:Zt,retroreflection:re,iridescence:bt,iridescenceMap:rt,iridescenceThicknessMap:gt,sheen:Ue,sheenColorMap:xt,sheenRoughnessMap:tt,specularMap:nt,specularColorMap:ft,specularIntensityMap:O,transmission:Vt,transmissionMap:st,thicknessMap:et,gradientMap:wt,opaque:_.transparent===!1&&_.blending===wo&&_.alphaToCoverage===!1,alphaMap:mt,alphaTest:St,alphaHash:Wt,combine:_.combine,mapUv:Ht&&f(_.map.channel),aoMapUv:qe&&f(_.aoMap.channel),lightMapUv:Be&&f(_.lightMap.channel),bumpMapUv:nn&&f(_.bumpMap.channel),normalMapUv:De&&f(_.normalMap.channel),displacementMapUv:Sn&&f(_.displacementMap.channel),emissiveMapUv:ye&&f(_.emissiveMap.channel),metalnessMapUv:fn&&f(_.metalnessMap.channel),roughnessMapUv:Ze&&f(_.roughnessMap.channel),anisotropyMapUv:Yt&&f(_.anisotropyMap.channel),clearcoatMapUv:R&&f(_.clearcoatMap.channel),clearcoatNormalMapUv:M&&f(_.clearcoatNormalMap.channel),clearcoatRoughnessMapUv:X&&f(_.clearcoatRoughnessMap.channel),diffuseRoughnessMapUv:ct&&f(_.diffuseRoughnessMap.channel),iridescenceMapUv:rt&&f(_.iridescenceMap.channel),iridescenceThicknessMapUv:gt&&f(_.iridescenceThicknessMap.channel),sheenColorMapUv:xt&&f(_.sheenColorMap.channel),sheenRoughnessMapUv:tt&&f(_.sheenRoughnessMap.channel),specularMapUv:nt&&f(_.specularMap.channel),specularColorMapUv:ft&&f(_.specularColorMap.channel),specularIntensityMapUv:O&&f(_.specularIntensityMap.channel),transmissionMapUv:st&&f(_.transmissionMap.channel),thicknessMapUv:et&&f(_.thicknessMap.channel),alphaMapUv:mt&&f(_.alphaMap.channel),vertexTangents:!!N.attributes.tangent&&(De||sn),vertexNormals:!!N.attributes.normal,vertexColors:_.vertexColors,vertexAlphas:_.vertexColors===!0&&!!N.attributes.color&&N.attributes.color.itemSize===4,pointsUvs:L.isPoints===!0&&!!N.attributes.uv&&(Ht||mt),fog:!!H,useFog:_.fog===!0,fogExp2:!!H&&H.isFogExp2,flatShading:_.wireframe===!1&&(_.flatShading===!0||N.attributes.normal===void 0&&De===!1&&(_.isMeshLambertMaterial||_.isMeshPhongMaterial||_.isMeshStandardMaterial||_.isMeshPhysicalMaterial)),sizeAttenuation:_.sizeAttenuation===!0,logarithmicDepthBuffer:u,reversedDepthBuffer:Mt,skinning:L.isSkinnedMesh===!0,hasPositionAttribute:N.attributes.position!==void 0,morphTargets:N.morphAttributes.position!==void 0,morphNormals:N.morphAttributes.normal!==void 0,morphColors:N.morphAttributes.color!==void 0,morphTargetsCount:it,morphTextureStride:ut,numSunLights:w.sun.length,numDirLights:w.directional.length,numPointLights:w.point.length,numSpotLights:w.spot.length,numSpotLightMaps:w.spotLightMap.length,numRectAreaLights:w.rectArea.length,numHemiLights:w.hemi.length,numSunLightShadows:w.sunShadowMap.length,numDirLightShadows:w.directionalShadowMap.length,numPointLightShadows:w.pointShadowMap.length,numSpotLightShadows:w.spotShadowMap.length,numSpotLightShadowsWithMaps:w.numSpotLightShadowsWithMaps,numLightProbes:w.numLightProbes,numLightProbeGrids:z.filter(Ct=>Ct.texture!==null).length,numClippingPlanes:r.numPlanes,numClipIntersection:r.numIntersection,dithering:_.dithering,shadowMapEnabled:i.shadowMap.enabled&&F.length>0,shadowMapType:i.shadowMap.type,toneMapping:at,decodeVideoTexture:Ht&&_.map.isVideoTexture===!0&&ge.getTransfer(_.map.colorSpace)===Ee,decodeVideoTextureEmissive:ye&&_.emissiveMap.isVideoTexture===!0&&ge.getTransfer(_.emissiveMap.colorSpace)===Ee,premultipliedAlpha:_.premultipliedAlpha,doubleSided:_.side===Qi,flipSided:_.side===Qn,useDepthPacking:_.depthPacking>=0,depthPacking:_.depthPacking||0,index0AttributeName:_.index0AttributeName,extensionClipCullDistance:Kt&&_.extensions.clipCullDistance===!0&&e.has("WEBGL_clip_cull_distance"),extensionMultiDraw:(Kt&&_.extensions.multiDraw===!0||se)&&e.has("WEBGL_multi_draw"),rendererExtensionParallelShaderCompile:e.has("KHR_parallel_shader_compile"),customProgramCacheKey:_.customProgramCacheKey()};return jt.vertexUv1s=l.has(1),jt.vertexUv2s=l.has(2),jt.vertexUv3s=l.has(3),l.clear(),jt}function v(_){let w=[];if(_.shaderID?w.push(_.shaderID):(w.push(_.customVertexShaderID),w.push(_.customFragmentShaderID)),_.defines!==void 0)for(let F in _.defines)w.push(F),w.push(_.defines[F]);return _.isRawShaderMaterial===!1&&(p(w,_),m(w,_),w.push(i.outputColorSpace)),w.push(_.customProgramCacheKey),w.join()}function p(_,w){_.push(w.precision),_.push(w.outputColorSpace),_.push(w.envMapMode),_.push(w.envMapPMREM),_.push(w.envMapMaxLod),_.push(w.envMapSize),_.push(w.mapUv),_.push(w.alphaMapUv),_.push(w.lightMapUv),_.push(w.aoMapUv),_.push(w.bumpMapUv),_.push(w.normalMapUv),_.push(w.displacementMapUv),_.push(w.emissiveMapUv),_.push(w.metalnessMapUv),_.push(w.roughnessMapUv),_.push(w.anisotropyMapUv),_.push(w.clearcoatMapUv),_.push(w.clearcoatNormalMapUv),_.push(w.clearcoatRoughnessMapUv),_.push(w.diffuseRoughnessMapUv),_.push(w.iridescenceMapUv),_.push(w.iridescenceThicknessMapUv),_.push(w.sheenColorMapUv),_.push(w.sheenRoughnessMapUv),_.push(w.specularMapUv),_.push(w.specularColorMapUv),_.push(w.specularIntensityMapUv),_.push(w.transmissionMapUv),_.push(w.thicknessMapUv),_.push(w.combine),_.push(w.fogExp2),_.push(w.sizeAttenuation),_.push(w.morphTargetsCount),_.push(w.numSunLights),_.push(w.numDirLights),_.push(w.numPointLights),_.push(w.numSpotLights),_.push(w.numSpotLightMaps),_.push(w.numHemiLights),_.push(w.numRectAreaLights),_.push(w.numSunLightShadows),_.push(w.numDirLightShadows),_.push(w.numPointLightShadows),_.push(w.numSpotLightShadows),_.push(w.numSpotLightShadowsWithMaps),_.push(w.numLightProbes),_.push(w.numLightProbeGrids),_.push(w.shadowMapType),_.push(w.toneMapping),_.push(w.numClippingPlanes),_.push(w.numClipIntersection),_.push(w.depthPacking)}function m(_,w){o.disableAll(),w.instancing&&o.enable(0),w.instancingColor&&o.enable(1),w.instancingMorph&&o.enable(2),w.matcap&&o.enable(3),w.envMap&&o.enable(4),w.normalMapObjectSpace&&o.enable(5),w.normalMapTangentSpace&&o.enable(6),w.clearcoat&&o.enable(7),w.iridescence&&o.enable(8),w.alphaTest&&o.enable(9),w.vertexColors&&o.enable(10),w.vertexAlphas&&o.enable(11),w.vertexUv1s&&o.enable(12),w.vertexUv2s&&o.enable(13),w.vertexUv3s&&o.enable(14),w.vertexTangents&&o.enable(15),w.anisotropy&&o.enable(16),w.alphaHash&&o.enable(17),w.batching&&o.enable(18),w.dispersion&&o.enable(19),w.retroreflection&&o.enable(24),w.diffuseRoughness&&o.enable(25),w.batchingColor&&o.enable(20),w.gradientMap&&o.enable(21),w.packedNormalMap&&o.enable(22),w.vertexNormals&&o.enable(23),_.push(o.mask),o.disableAll(),w.fog&&o.enable(0),w.useFog&&o.enable(1),w.flatShading&&o.enable(2),w.logarithmicDepthBuffer&&o.enable(3),w.reversedDepthBuffer&&o.enable(4),w.skinning&&o.enable(5),w.morphTargets&&o.enable(6),w.morphNormals&&o.enable(7),w.morphColors&&o.enable(8),w.premultipliedAlpha&&o.enable(9),w.shadowMapEnabled&&o.enable(10),w.doubleSided&&o.enable(11),w.flipSided&&o.enable(12),w.useDepthPacking&&o.enable(13),w.dithering&&o.enable(14),w.transmission&&o.enable(15),w.sheen&&o.enable(16),w.opaque&&o.enable(17),w.pointsUvs&&o.enable(18),w.decodeVideoTexture&&o.enable(19),w.decodeVideoTextureEmissive&&o.enable(20),w.alphaToCoverage&&o.enable(21),w.numLightProbeGrids>0&&o.enable(22),w.hasPositionAttribute&&o.enable(23),_.push(o.mask)}function y(_){let w=d[_.type],F;if(w){let I=ti[w];F=qa.clone(I.uniforms)}else F=_.uniforms;return F}function T(_,w){let F=h.get(w);return F!==void 0?++F.usedTimes:(F=new vb(i,w,_,s),c.push(F),h.set(w,F)),F}function S(_){if(--_.usedTimes===0){let w=c.indexOf(_);c[w]=c[c.length-1],c.pop(),h.delete(_.cacheKey),_.destroy()}}function C(_){a.remove(_)}function E(){a.dispose()}return{getParameters:g,getProgramCacheKey:v,getUniforms:y,acquireProgram:T,releaseProgram:S,releaseShaderCache:C,programs:c,dispose:E}}function wb(){let i=new WeakMap;function t(o){return i.has(o)}function e(o){let a=i.get(o);return a===void 0&&(a={},i.set(o,a)),a}function n(o){i.delete(o)}function s(o,a,l){i.get(o)[a]=l}function r(){i=new WeakMap}return{has:t,get:e,remove:n,update:s,dispose:r}}function Ab(i,t){return i.groupOrder!==t.groupOrder?i.groupOrder-t.groupOrder:i.renderOrder!==t.renderOrder?i.renderOrder-t.renderOrder:i.material.id!==t.material.id?i.material.id-t.material.id:i.materialVariant!==t.materialVariant?i.materialVariant-t.materialVariant:i.z!==t.z?i.z-t.z:i.id-t.id}function cg(i,t){return i.groupOrder!==t.groupOrder?i.groupOrder-t.groupOrder:i.renderOrder!==t.renderOrder?i.renderOrder-t.renderOrder:i.z!==t.z?t.z-i.z:i.id-t.id}function hg(){let i=[],t=0,e=[],n=[],s=[];function r(){t=0,e.length=0,n.length=0,s.length=0}function o(d){let f=0;return d.isInstancedMesh&&(f+=2),d.isSkinnedMesh&&(f+=1),f}function a(d,f,g,v,p,m){let y=i[t];return y===void 0?(y={id:d.id,object:d,geometry:f,material:g,materialVariant:o(d),groupOrder:v,renderOrder:d.renderOrder,z:p,group:m},i[t]=y):(y.id=d.id,y.object=d,y.geometry=f,y.material=g,y.materialVariant=o(d),y.groupOrder=v,y.renderOrder=d.renderOrder,y.z=p,y.group=m),t++,y}function l(d,f,g,v,p,m,y){y.reversedDepth===!0&&(p=-p);let T=a(d,f,g,v,p,m);g.transmission>0?n.push(T):g.transparent===!0?s.push(T):e.push(T)}function c(d,f,g,v,p,m){let y=a(d,f,g,v,p,m);g.transmission>0?n.unshift(y):g.transparent===!0?s.unshift(y):e.unshift(y)}function h(d,f){e.length>1&&e.sort(d||Ab),n.length>1&&n.sort(f||cg),s.length>1&&s.sort(f||cg)}function u(){for(let d=t,f=i.length;d<f;d++){let g=i[d];if(g.id===null)break;g.id=null,g.object=null,g.geometry=null,g.material=null,g.group=null}}return{opaque:e,transmissive:n,transparent:s,init:r,push:l,unshift:c,finish:u,sort:h}}function Tb(){let i=new WeakMap;function t(n,s){let r=i.get(n),o;return r===void 0?(o=new hg,i.set(n,[o])):s>=r.length?(o=new hg,r.push(o)):o=r[s],o}function e(){i=new WeakMap}return{get:t,dispose:e}}function Eb(){let i={};return{get:function(t){if(i[t.id]!==void 0)return i[t.id];let e;switch(t.type){case"SunLight":case"DirectionalLight":e={direction:new U,color:new zt};break;case"SpotLight":e={position:new U,direction:new U,color:new zt,distance:0,coneCos:0,penumbraCos:0,decay:0};break;case"PointLight":e={position:new U,color:new zt,distance:0,decay:0};break;case"HemisphereLight":e={direction:new U,skyColor:new zt,groundColor:new zt};break;case"RectAreaLight":e={color:new zt,position:new U,halfWidth:new U,halfHeight:new U};break}return i[t.id]=e,e}}}function Cb(){let i={};return{get:function(t){if(i[t.id]!==void 0)return i[t.id];let e;switch(t.type){case"SunLight":case"DirectionalLight":e={shadowIntensity:1,shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new Gt};break;case"SpotLight":e={shadowIntensity:1,shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new Gt};break;case"PointLight":e={shadowIntensity:1,shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new Gt,shadowCameraNear:1,shadowCameraFar:1e3};break}return i[t.id]=e,e}}}var Rb=0;function Pb(i,t){return(t.castShadow?2:0)-(i.castShadow?2:0)+(t.map?1:0)-(i.map?1:0)}function Ib(i){let t=new Eb,e=Cb(),n={version:0,hash:{sunLength:-1,directionalLength:-1,pointLength:-1,spotLength:-1,rectAreaLength:-1,hemiLength:-1,numSunShadows:-1,numDirectionalShadows:-1,numPointShadows:-1,numSpotShadows:-1,numSpotMaps:-1,numLightProbes:-1},ambient:[0,0,0],probe:[],sun:[],sunShadow:[],sunShadowMap:[],sunShadowMatrix:[],sunShadowCascade:[],directional:[],directionalShadow:[],directionalShadowMap:[],directionalShadowMatrix:[],spot:[],spotLightMap:[],spotShadow:[],spotShadowMap:[],spotLightMatrix:[],rectArea:[],rectAreaLTC1:null,rectAreaLTC2:null,point:[],pointShadow:[],pointShadowMap:[],pointShadowMatrix:[],hemi:[],numSpotLightShadowsWithMaps:0,numLightProbes:0};for(let c=0;c<9;c++)n.probe.push(new U);let s=new U,r=new ve,o=new ve;function a(c){let h=0,u=0,d=0;for(let z=0;z<9;z++)n.probe[z].set(0,0,0);let f=0,g=0,v=0,p=0,m=0,y=0,T=0,S=0,C=0,E=0,_=0,w=0,F=0,I=0;c.sort(Pb);for(let z=0,H=c.length;z<H;z++){let N=c[z],W=N.color,Y=N.intensity,G=N.distance,lt=null;if(N.shadow&&N.shadow.map&&(N.shadow.map.texture.format===qs?lt=N.shadow.map.texture:lt=N.shadow.map.depthTexture||N.shadow.map.texture),N.isAmbientLight)h+=W.r*Y,u+=W.g*Y,d+=W.b*Y;else if(N.isLightProbe){for(let J=0;J<9;J++)n.probe[J].addScaledVector(N.sh.coefficients[J],Y);I++}else if(N.isSunLight){let J=t.get(N);if(J.color.copy(N.color).multiplyScalar(N.intensity),N.castShadow){let j=N.shadow,it=e.get(N);it.shadowIntensity=j.intensity,it.shadowBias=j.bias,it.shadowNormalBias=j.normalBias,it.shadowRadius=j.radius,it.shadowMapSize.copy(j.mapSize).multiply(j.getFrameExtents()),n.sunShadow[g]=it,n.sunShadowMap[g]=lt;let ut=j.getViewportCount();for(let ht=0;ht<ut;ht++)n.sunShadowMatrix[v+ht]=j.getMatrix(ht),n.sunShadowCascade[v+ht]=j._cascadeData[ht];v+=ut,g++}n.sun[f]=J,f++}else if(N.isDirectionalLight){let J=t.get(N);if(J.color.copy(N.color).multiplyScalar(N.intensity),N.castShadow){let j=N.shadow,it=e.get(N);it.shadowIntensity=j.intensity,it.shadowBias=j.bias,it.shadowNormalBias=j.normalBias,it.shadowRadius=j.radius,it.shadowMapSize=j.mapSize,n.directionalShadow[p]=it,n.directionalShadowMap[p]=lt,n.directionalShadowMatrix[p]=N.shadow.matrix,C++}n.directional[p]=J,p++}else if(N.isSpotLight){let J=t.get(N);J.position.setFromMatrixPosition(N.matrixWorld),J.color.copy(W).multiplyScalar(Y),J.distance=G,J.coneCos=Math.cos(N.angle),J.penumbraCos=Math.cos(N.angle*(1-N.penumbra)),J.decay=N.decay,n.spot[y]=J;let j=N.shadow;if(N.map&&(n.spotLightMap[w]=N.map,w++,j.updateMatrices(N),N.castShadow&&F++),n.spotLightMatrix[y]=j.matrix,N.castShadow){let it=e.get(N);it.shadowIntensity=j.intensity,it.shadowBias=j.bias,it.shadowNormalBias=j.normalBias,it.shadowRadius=j.radius,it.shadowMapSize=j.mapSize,n.spotShadow[y]=it,n.spotShadowMap[y]=lt,_++}y++}else if(N.isRectAreaLight){let J=t.get(N);J.color.copy(W).multiplyScalar(Y),J.halfWidth.set(N.width*.5,0,0),J.halfHeight.set(0,N.height*.5,0),n.rectArea[T]=J,T++}else if(N.isPointLight){let J=t.get(N);if(J.color.copy(N.color).multiplyScalar(N.intensity),J.distance=N.distance,J.decay=N.decay,N.castShadow){let j=N.shadow,it=e.get(N);it.shadowIntensity=j.intensity,it.shadowBias=j.bias,it.shadowNormalBias=j.normalBias,it.shadowRadius=j.radius,it.shadowMapSize=j.mapSize,it.shadowCameraNear=j.camera.near,it.shadowCameraFar=j.camera.far,n.pointShadow[m]=it,n.pointShadowMap[m]=lt,n.pointShadowMatrix[m]=N.shadow.matrix,E++}n.point[m]=J,m++}else if(N.isHemisphereLight){let J=t.get(N);J.skyColor.copy(N.color).multiplyScalar(Y),J.groundColor.copy(N.groundColor).multiplyScalar(Y),n.hemi[S]=J,S++}}T>0&&(i.has("OES_texture_float_linear")===!0?(n.rectAreaLTC1=Pt.LTC_FLOAT_1,n.rectAreaLTC2=Pt.LTC_FLOAT_2):(n.rectAreaLTC1=Pt.LTC_HALF_1,n.rectAreaLTC2=Pt.LTC_HALF_2)),n.ambient[0]=h,n.ambient[1]=u,n.ambient[2]=d;let L=n.hash;(L.sunLength!==f||L.directionalLength!==p||L.pointLength!==m||L.spotLength!==y||L.rectAreaLength!==T||L.hemiLength!==S||L.numSunShadows!==g||L.numDirectionalShadows!==C||L.numPointShadows!==E||L.numSpotShadows!==_||L.numSpotMaps!==w||L.numLightProbes!==I)&&(n.sun.length=f,n.directional.length=p,n.spot.length=y,n.rectArea.length=T,n.point.length=m,n.hemi.length=S,n.sunShadow.length=g,n.sunShadowMap.length=g,n.sunShadowMatrix.length=v,n.sunShadowCascade.length=v,n.directionalShadow.length=C,n.directionalShadowMap.length=C,n.directionalShadowMatrix.length=C,n.pointShadow.length=E,n.pointShadowMap.length=E,n.pointShadowMatrix.length=E,n.spotShadow.length=_,n.spotShadowMap.length=_,n.spotLightMatrix.length=_+w-F,n.spotLightMap.length=w,n.numSpotLightShadowsWithMaps=F,n.numLightProbes=I,L.sunLength=f,L.directionalLength=p,L.pointLength=m,L.spotLength=y,L.rectAreaLength=T,L.hemiLength=S,L.numSunShadows=g,L.numDirectionalShadows=C,L.numPointShadows=E,L.numSpotShadows=_,L.numSpotMaps=w,L.numLightProbes=I,n.version=Rb++)}function l(c,h){let u=0,d=0,f=0,g=0,v=0,p=0,m=h.matrixWorldInverse;for(let y=0,T=c.length;y<T;y++){let S=c[y];if(S.isSunLight){let C=n.sun[u];C.direction.setFromMatrixPosition(S.matrixWorld),C.direction.transformDirection(m),u++}else if(S.isDirectionalLight){let C=n.directional[d];C.direction.setFromMatrixPosition(S.matrixWorld),s.setFromMatrixPosition(S.target.matrixWorld),C.direction.sub(s),C.direction.transformDirection(m),d++}else if(S.isSpotLight){let C=n.spot[g];C.position.setFromMatrixPosition(S.matrixWorld),C.position.applyMatrix4(m),C.direction.setFromMatrixPosition(S.matrixWorld),s.setFromMatrixPosition(S.target.matrixWorld),C.direction.sub(s),C.direction.transformDirection(m),g++}else if(S.isRectAreaLight){let C=n.rectArea[v];C.position.setFromMatrixPosition(S.matrixWorld),C.position.applyMatrix4(m),o.identity(),r.copy(S.matrixWorld),r.premultiply(m),o.extractRotation(r),C.halfWidth.set(S.width*.5,0,0),C.halfHeight.set(0,S.height*.5,0),C.halfWidth.applyMatrix4(o),C.halfHeight.applyMatrix4(o),v++}else if(S.isPointLight){let C=n.point[f];C.position.setFromMatrixPosition(S.matrixWorld),C.position.applyMatrix4(m),f++}else if(S.isHemisphereLight){let C=n.hemi[p];C.direction.setFromMatrixPosition(S.matrixWorld),C.direction.transformDirection(m),p++}}}return{setup:a,setupView:l,state:n}}function ug(i){let t=new Ib(i),e=[],n=[],s=[];function r(u){h.camera=u,e.length=0,n.length=0,s.length=0}function o(u){u.isLightProbeGrid?s.push(u):e.push(u)}function a(u){n.push(u)}function l(){t.setup(e),s.sort((u,d)=>u.priority-d.priority||u.id-d.id)}function c(u){t.setupView(e,u)}let h={lightsArray:e,shadowsArray:n,lightProbeGridArray:s,camera:null,lights:t,transmissionRenderTarget:{},textureUnits:0};return{init:r,state:h,setupLights:l,setupLightsView:c,pushLight:o,pushShadow:a}}function Lb(i){let t=new WeakMap;function e(s,r=0){let o=t.get(s),a;return o===void 0?(a=new ug(i),t.set(s,[a])):r>=o.length?(a=new ug(i),o.push(a)):a=o[r],a}function n(){t=new WeakMap}return{get:e,dispose:n}}var Db=`void main() {
	gl_Position = vec4( position, 1.0 );
}`,Nb=`uniform sampler2D shadow_pass;
uniform vec2 resolution;
uniform float radius;
void main() {
	const float samples = float( VSM_SAMPLES );
	float mean = 0.0;
	float squared_mean = 0.0;
	float uvStride = samples <= 1.0 ? 0.0 : 2.0 / ( samples - 1.0 );
	float uvStart = samples <= 1.0 ? 0.0 : - 1.0;
	for ( float i = 0.0; i < samples; i ++ ) {
		float uvOffset = uvStart + i * uvStride;
		#ifdef HORIZONTAL_PASS
			vec2 distribution = texture2D( shadow_pass, ( gl_FragCoord.xy + vec2( uvOffset, 0.0 ) * radius ) / resolution ).rg;
			mean += distribution.x;
			squared_mean += distribution.y * distribution.y + distribution.x * distribution.x;
		#else
			float depth = texture2D( shadow_pass, ( gl_FragCoord.xy + vec2( 0.0, uvOffset ) * radius ) / resolution ).r;
			mean += depth;
			squared_mean += depth * depth;
		#endif
	}
	mean = mean / samples;
	squared_mean = squared_mean / samples;
	float std_dev = sqrt( max( 0.0, squared_mean - mean * mean ) );
	gl_FragColor = vec4( mean, std_dev, 0.0, 1.0 );
}`,Ub=[new U(1,0,0),new U(-1,0,0),new U(0,1,0),new U(0,-1,0),new U(0,0,1),new U(0,0,-1)],Fb=[new U(0,-1,0),new U(0,-1,0),new U(0,0,1),new U(0,0,-1),new U(0,-1,0),new U(0,-1,0)],dg=new ve,Ya=new U,Hd=new U;function Ob(i,t,e){let n=new ks,s=new Gt,r=new Gt,o=new Ce,a=new gc,l=new _c,c={},h=e.maxTextureSize,u={[Xs]:Qn,[Qn]:Xs,[Qi]:Qi},d=new bi({defines:{VSM_SAMPLES:8},uniforms:{shadow_pass:{value:null},resolution:{value:new Gt},radius:{value:4}},vertexShader:Db,fragmentShader:Nb}),f=d.clone();f.defines.HORIZONTAL_PASS=1;let g=new un;g.setAttribute("position",new hn(new Float32Array([-1,-1,.5,3,-1,.5,-1,3,.5]),3));let v=new Gn(g,d),p=this;this.enabled=!1,this.autoUpdate=!0,this.needsUpdate=!1,this.type=_r;let m=this.type;this.render=function(E,_,w){if(p.enabled===!1||p.autoUpdate===!1&&p.needsUpdate===!1||E.length===0)return;this.type===cm&&($t("WebGLShadowMap: PCFSoftShadowMap has been removed. Using PCFShadowMap instead."),this.type=_r);let F=i.getRenderTarget(),I=i.getActiveCubeFace(),L=i.getActiveMipmapLevel(),z=i.state;z.setBlending(xr),z.buffers.depth.getReversed()===!0?z.buffers.color.setClear(0,0,0,0):z.buffers.color.setClear(1,1,1,1),z.buffers.depth.setTest(!0),z.setScissorTest(!1);let H=m!==this.type;H&&_.traverse(function(N){N.material&&(Array.isArray(N.material)?N.material.forEach(W=>W.needsUpdate=!0):N.material.needsUpdate=!0)});for(let N=0,W=E.length;N<W;N++){let Y=E[N],G=Y.shadow;if(G===void 0){$t("WebGLShadowMap:",Y,"has no shadow.");continue}if(G.autoUpdate===!1&&G.needsUpdate===!1)continue;s.copy(G.mapSize);let lt=G.getFrameExtents();s.multiply(lt),r.copy(G.mapSize),(s.x>h||s.y>h)&&(s.x>h&&(r.x=Math.floor(h/lt.x),s.x=r.x*lt.x,G.mapSize.x=r.x),s.y>h&&(r.y=Math.floor(h/lt.y),s.y=r.y*lt.y,G.mapSize.y=r.y));let J=i.state.buffers.depth.getReversed();if(G.camera._reversedDepth=J,G.map===null||H===!0){if(G.map!==null&&(G.map.depthTexture!==null&&(G.map.depthTexture.dispose(),G.map.depthTexture=null),G.map.dispose()),this.type===bo){if(Y.isPointLight){$t("WebGLShadowMap: VSM shadow maps are not supported for PointLights. Use PCF or BasicShadowMap instead.");continue}G.map=new ui(s.x,s.y,{format:qs,type:Oi,minFilter:Kn,magFilter:Kn,generateMipmaps:!1}),G.map.texture.name=Y.name+".shadowMap",G.map.depthTexture=new ys(s.x,s.y,wi),G.map.depthTexture.name=Y.name+".shadowMapDepth",G.map.depthTexture.format=xs,G.map.depthTexture.compareFunction=null,G.map.depthTexture.minFilter=Rn,G.map.depthTexture.magFilter=Rn}else Y.isPointLight?(G.map=new Za(s.x),G.map.depthTexture=new Sa(s.x,Fi)):(G.map=new ui(s.x,s.y),G.map.depthTexture=new ys(s.x,s.y,Fi)),G.map.depthTexture.name=Y.name+".shadowMap",G.map.depthTexture.format=xs,this.type===_r?(G.map.depthTexture.compareFunction=J?Ed:Td,G.map.depthTexture.minFilter=Kn,G.map.depthTexture.magFilter=Kn):(G.map.depthTexture.compareFunction=null,G.map.depthTexture.minFilter=Rn,G.map.depthTexture.magFilter=Rn);G.camera.updateProjectionMatrix()}G.map.isWebGLCubeRenderTarget!==!0&&(G.map.width!==s.x||G.map.height!==s.y)&&G.map.setSize(s.x,s.y);let j=G.map.isWebGLCubeRenderTarget?6:G.getViewportCount();Y.isPointLight!==!0&&G.updateMatrices(Y,w);let it=(G.camera.layers.mask&4294967294)!==0?G.camera.layers:w.layers;for(let ut=0;ut<j;ut++){let ht=G.getCamera(ut);if(Y.isPointLight){let Q=G.camera,pt=G.matrix,_t=Y.distance||Q.far;_t!==Q.far&&(Q.far=_t,Q.updateProjectionMatrix()),Ya.setFromMatrixPosition(Y.matrixWorld),Q.position.copy(Ya),Hd.copy(Q.position),Hd.add(Ub[ut]),Q.up.copy(Fb[ut]),Q.lookAt(Hd),Q.updateMatrixWorld(),pt.makeTranslation(-Ya.x,-Ya.y,-Ya.z),dg.multiplyMatrices(Q.projectionMatrix,Q.matrixWorldInverse),G._frustum.setFromProjectionMatrix(dg,Q.coordinateSystem,Q.reversedDepth)}if(G.map.isWebGLCubeRenderTarget)i.setRenderTarget(G.map,ut),i.clear();else{ut===0&&(i.setRenderTarget(G.map),i.clear());let Q=G.getViewport(ut);o.set(r.x*Q.x,r.y*Q.y,r.x*Q.z,r.y*Q.w),z.viewport(o)}n=G.getFrustum(ut),S(_,w,ht,Y,it,this.type)}G.isPointLightShadow!==!0&&this.type===bo&&y(G,w),G.needsUpdate=!1}m=this.type,p.needsUpdate=!1,i.setRenderTarget(F,I,L)};function y(E,_){let w=t.update(v);d.defines.VSM_SAMPLES!==E.blurSamples&&(d.defines.VSM_SAMPLES=E.blurSamples,f.defines.VSM_SAMPLES=E.blurSamples,d.needsUpdate=!0,f.needsUpdate=!0),E.mapPass===null?E.mapPass=new ui(s.x,s.y,{format:qs,type:Oi}):(E.mapPass.width!==E.map.width||E.mapPass.height!==E.map.height)&&E.mapPass.setSize(E.map.width,E.map.height),d.uniforms.shadow_pass.value=E.map.depthTexture,d.uniforms.resolution.value.set(E.map.width,E.map.height),d.uniforms.radius.value=E.radius,i.setRenderTarget(E.mapPass),i.clear(),i.renderBufferDirect(_,null,w,d,v,null),f.uniforms.shadow_pass.value=E.mapPass.texture,f.uniforms.resolution.value.set(E.map.width,E.map.height),f.uniforms.radius.value=E.radius,i.setRenderTarget(E.map),i.clear(),i.renderBufferDirect(_,null,w,f,v,null)}function T(E,_,w,F){let I=null,L=w.isPointLight===!0?E.customDistanceMaterial:E.customDepthMaterial;if(L!==void 0)I=L;else if(I=w.isPointLight===!0?l:a,i.localClippingEnabled&&_.clipShadows===!0&&Array.isArray(_.clippingPlanes)&&_.clippingPlanes.length!==0||_.displacementMap&&_.displacementScale!==0||_.alphaMap&&_.alphaTest>0||_.map&&_.alphaTest>0||_.alphaToCoverage===!0){let z=I.uuid,H=_.uuid,N=c[z];N===void 0&&(N={},c[z]=N);let W=N[H];W===void 0&&(W=I.clone(),N[H]=W,_.addEventListener("dispose",C)),I=W}if(I.visible=_.visible,I.wireframe=_.wireframe,F===bo?I.side=_.shadowSide!==null?_.shadowSide:_.side:I.side=_.shadowSide!==null?_.shadowSide:u[_.side],I.alphaMap=_.alphaMap,I.alphaTest=_.alphaToCoverage===!0?.5:_.alphaTest,I.map=_.map,I.clipShadows=_.clipShadows,I.clippingPlanes=_.clippingPlanes,I.clipIntersection=_.clipIntersection,I.displacementMap=_.displacementMap,I.displacementScale=_.displacementScale,I.displacementBias=_.displacementBias,I.wireframeLinewidth=_.wireframeLinewidth,I.linewidth=_.linewidth,w.isPointLight===!0&&I.isMeshDistanceMaterial===!0){let z=i.properties.get(I);z.light=w}return I}function S(E,_,w,F,I,L){if(E.visible===!1)return;if(E.layers.test(I)&&(E.isMesh||E.isLine||E.isPoints)&&(E.castShadow||E.receiveShadow&&L===bo)&&(!E.frustumCulled||E.intersectsFrustum(n))){E.modelViewMatrix.multiplyMatrices(w.matrixWorldInverse,E.matrixWorld);let N=t.update(E),W=E.material;if(Array.isArray(W)){let Y=N.groups;for(let G=0,lt=Y.length;G<lt;G++){let J=Y[G],j=W[J.materialIndex];if(j&&j.visible){let it=T(E,j,F,L);E.onBeforeShadow(i,E,_,w,N,it,J),i.renderBufferDirect(w,null,N,it,E,J),E.onAfterShadow(i,E,_,w,N,it,J)}}}else if(W.visible){let Y=T(E,W,F,L);E.onBeforeShadow(i,E,_,w,N,Y,null),i.renderBufferDirect(w,null,N,Y,E,null),E.onAfterShadow(i,E,_,w,N,Y,null)}}let H=E.children;for(let N=0,W=H.length;N<W;N++)S(H[N],_,w,F,I,L)}function C(E){E.target.removeEventListener("dispose",C);for(let w in c){let F=c[w],I=E.target.uuid;I in F&&(F[I].dispose(),delete F[I])}}}function Bb(i,t){function e(){let O=!1,st=new Ce,et=null,wt=new Ce(0,0,0,0);return{setMask:function(mt){et!==mt&&!O&&(i.colorMask(mt,mt,mt,mt),et=mt)},setLocked:function(mt){O=mt},setClear:function(mt,St,Wt,Kt,at){at===!0&&(mt*=Kt,St*=Kt,Wt*=Kt),st.set(mt,St,Wt,Kt),wt.equals(st)===!1&&(i.clearColor(mt,St,Wt,Kt),wt.copy(st))},reset:function(){O=!1,et=null,wt.set(-1,0,0,0)}}}function n(){let O=!1,st=!1,et=null,wt=null,mt=null;return{setReversed:function(St){if(st!==St){let Wt=t.get("EXT_clip_control");St?Wt.clipControlEXT(Wt.LOWER_LEFT_EXT,Wt.ZERO_TO_ONE_EXT):Wt.clipControlEXT(Wt.LOWER_LEFT_EXT,Wt.NEGATIVE_ONE_TO_ONE_EXT),st=St;let Kt=mt;mt=null,this.setClear(Kt)}},getReversed:function(){return st},setTest:function(St){St?Mt(i.DEPTH_TEST):Xt(i.DEPTH_TEST)},setMask:function(St){et!==St&&!O&&(i.depthMask(St),et=St)},setFunc:function(St){if(st&&(St=Gm[St]),wt!==St){switch(St){case Gl:i.depthFunc(i.NEVER);break;case Hl:i.depthFunc(i.ALWAYS);break;case Wl:i.depthFunc(i.LESS);break;case ao:i.depthFunc(i.LEQUAL);break;case Xl:i.depthFunc(i.EQUAL);break;case ql:i.depthFunc(i.GEQUAL);break;case Yl:i.depthFunc(i.GREATER);break;case $l:i.depthFunc(i.NOTEQUAL);break;default:i.depthFunc(i.LEQUAL)}wt=St}},setLocked:function(St){O=St},setClear:function(St){mt!==St&&(mt=St,st&&(St=1-St),i.clearDepth(St))},reset:function(){O=!1,et=null,wt=null,mt=null,st=!1}}}function s(){let O=!1,st=null,et=null,wt=null,mt=null,St=null,Wt=null,Kt=null,at=null;return{setTest:function(Ot){O||(Ot?Mt(i.STENCIL_TEST):Xt(i.STENCIL_TEST))},setMask:function(Ot){st!==Ot&&!O&&(i.stencilMask(Ot),st=Ot)},setFunc:function(Ot,jt,Ct){(et!==Ot||wt!==jt||mt!==Ct)&&(i.stencilFunc(Ot,jt,Ct),et=Ot,wt=jt,mt=Ct)},setOp:function(Ot,jt,Ct){(St!==Ot||Wt!==jt||Kt!==Ct)&&(i.stencilOp(Ot,jt,Ct),St=Ot,Wt=jt,Kt=Ct)},setLocked:function(Ot){O=Ot},setClear:function(Ot){at!==Ot&&(i.clearStencil(Ot),at=Ot)},reset:function(){O=!1,st=null,et=null,wt=null,mt=null,St=null,Wt=null,Kt=null,at=null}}}let r=new e,o=new n,a=new s,l={},c=new WeakMap,h={},u={},d={},f=new WeakMap,g=[],v=null,p=!1,m=null,y=null,T=null,S=null,C=null,E=null,_=null,w=new zt(0,0,0),F=0,I=!1,L=null,z=null,H=null,N=null,W=null,Y=i.getParameter(i.MAX_COMBINED_TEXTURE_IMAGE_UNITS),G=!1,lt=0,J=i.getParameter(i.VERSION);J.indexOf("WebGL")!==-1?(lt=parseFloat(/^WebGL (\d)/.exec(J)[1]),G=lt>=1):J.indexOf("OpenGL ES")!==-1&&(lt=parseFloat(/^OpenGL ES (\d)/.exec(J)[1]),G=lt>=2);let j=null,it={},ut=i.getParameter(i.SCISSOR_BOX),ht=i.getParameter(i.VIEWPORT),Q=new Ce().fromArray(ut),pt=new Ce().fromArray(ht);function _t(O,st,et,wt){let mt=new Uint8Array(4),St=i.createTexture();i.bindTexture(O,St),i.texParameteri(O,i.TEXTURE_MIN_FILTER,i.NEAREST),i.texParameteri(O,i.TEXTURE_MAG_FILTER,i.NEAREST);for(let Wt=0;Wt<et;Wt++)O===i.TEXTURE_3D||O===i.TEXTURE_2D_ARRAY?i.texImage3D(st,0,i.RGBA,1,1,wt,0,i.RGBA,i.UNSIGNED_BYTE,mt):i.texImage2D(st+Wt,0,i.RGBA,1,1,0,i.RGBA,i.UNSIGNED_BYTE,mt);return St}let Et={};Et[i.TEXTURE_2D]=_t(i.TEXTURE_2D,i.TEXTURE_2D,1),Et[i.TEXTURE_CUBE_MAP]=_t(i.TEXTURE_CUBE_MAP,i.TEXTURE_CUBE_MAP_POSITIVE_X,6),Et[i.TEXTURE_2D_ARRAY]=_t(i.TEXTURE_2D_ARRAY,i.TEXTURE_2D_ARRAY,1,1),Et[i.TEXTURE_3D]=_t(i.TEXTURE_3D,i.TEXTURE_3D,1,1),r.setClear(0,0,0,1),o.setClear(1),a.setClear(0),Mt(i.DEPTH_TEST),o.setFunc(ao),nn(!1),De(od),Mt(i.CULL_FACE),qe(xr);function Mt(O){h[O]!==!0&&(i.enable(O),h[O]=!0)}function Xt(O){h[O]!==!1&&(i.disable(O),h[O]=!1)}function se(O,st){return d[O]!==st?(i.bindFramebuffer(O,st),d[O]=st,O===i.DRAW_FRAMEBUFFER&&(d[i.FRAMEBUFFER]=st),O===i.FRAMEBUFFER&&(d[i.DRAW_FRAMEBUFFER]=st),!0):!1}function Ht(O,st){let et=g,wt=!1;if(O){et=f.get(st),et===void 0&&(et=[],f.set(st,et));let mt=O.textures;if(et.length!==mt.length||et[0]!==i.COLOR_ATTACHMENT0){for(let St=0,Wt=mt.length;St<Wt;St++)et[St]=i.COLOR_ATTACHMENT0+St;et.length=mt.length,wt=!0}}else et[0]!==i.BACK&&(et[0]=i.BACK,wt=!0);wt&&i.drawBuffers(et)}function ue(O){return v!==O?(i.useProgram(O),v=O,!0):!1}let le={[yr]:i.FUNC_ADD,[um]:i.FUNC_SUBTRACT,[dm]:i.FUNC_REVERSE_SUBTRACT};le[fm]=i.MIN,le[pm]=i.MAX;let ne={[mm]:i.ZERO,[gm]:i.ONE,[_m]:i.SRC_COLOR,[hd]:i.SRC_ALPHA,[bm]:i.SRC_ALPHA_SATURATE,[Sm]:i.DST_COLOR,[ym]:i.DST_ALPHA,[xm]:i.ONE_MINUS_SRC_COLOR,[ud]:i.ONE_MINUS_SRC_ALPHA,[Mm]:i.ONE_MINUS_DST_COLOR,[vm]:i.ONE_MINUS_DST_ALPHA,[wm]:i.CONSTANT_COLOR,[Am]:i.ONE_MINUS_CONSTANT_COLOR,[Tm]:i.CONSTANT_ALPHA,[Em]:i.ONE_MINUS_CONSTANT_ALPHA};function qe(O,st,et,wt,mt,St,Wt,Kt,at,Ot){if(O===xr){p===!0&&(Xt(i.BLEND),p=!1);return}if(p===!1&&(Mt(i.BLEND),p=!0),O!==hm){if(O!==m||Ot!==I){if((y!==yr||C!==yr)&&(i.blendEquation(i.FUNC_ADD),y=yr,C=yr),Ot)switch(O){case wo:i.blendFuncSeparate(i.ONE,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case ad:i.blendFunc(i.ONE,i.ONE);break;case ld:i.blendFuncSeparate(i.ZERO,i.ONE_MINUS_SRC_COLOR,i.ZERO,i.ONE);break;case cd:i.blendFuncSeparate(i.DST_COLOR,i.ONE_MINUS_SRC_ALPHA,i.ZERO,i.ONE);break;default:Qt("WebGLState: Invalid blending: ",O);break}else switch(O){case wo:i.blendFuncSeparate(i.SRC_ALPHA,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case ad:i.blendFuncSeparate(i.SRC_ALPHA,i.ONE,i.ONE,i.ONE);break;case ld:Qt("WebGLState: SubtractiveBlending requires material.premultipliedAlpha = true");break;case cd:Qt("WebGLState: MultiplyBlending requires material.premultipliedAlpha = true");break;default:Qt("WebGLState: Invalid blending: ",O);break}T=null,S=null,E=null,_=null,w.set(0,0,0),F=0,m=O,I=Ot}return}mt=mt||st,St=St||et,Wt=Wt||wt,(st!==y||mt!==C)&&(i.blendEquationSeparate(le[st],le[mt]),y=st,C=mt),(et!==T||wt!==S||St!==E||Wt!==_)&&(i.blendFuncSeparate(ne[et],ne[wt],ne[St],ne[Wt]),T=et,S=wt,E=St,_=Wt),(Kt.equals(w)===!1||at!==F)&&(i.blendColor(Kt.r,Kt.g,Kt.b,at),w.copy(Kt),F=at),m=O,I=!1}function Be(O,st){O.side===Qi?Xt(i.CULL_FACE):Mt(i.CULL_FACE);let et=O.side===Qn;st&&(et=!et),nn(et),O.blending===wo&&O.transparent===!1?qe(xr):qe(O.blending,O.blendEquation,O.blendSrc,O.blendDst,O.blendEquationAlpha,O.blendSrcAlpha,O.blendDstAlpha,O.blendColor,O.blendAlpha,O.premultipliedAlpha),o.setFunc(O.depthFunc),o.setTest(O.depthTest),o.setMask(O.depthWrite),r.setMask(O.colorWrite);let wt=O.stencilWrite;a.setTest(wt),wt&&(a.setMask(O.stencilWriteMask),a.setFunc(O.stencilFunc,O.stencilRef,O.stencilFuncMask),a.setOp(O.stencilFail,O.stencilZFail,O.stencilZPass)),ye(O.polygonOffset,O.polygonOffsetFactor,O.polygonOffsetUnits),O.alphaToCoverage===!0?Mt(i.SAMPLE_ALPHA_TO_COVERAGE):Xt(i.SAMPLE_ALPHA_TO_COVERAGE)}function nn(O){L!==O&&(O?i.frontFace(i.CW):i.frontFace(i.CCW),L=O)}function De(O){O!==am?(Mt(i.CULL_FACE),O!==z&&(O===od?i.cullFace(i.BACK):O===lm?i.cullFace(i.FRONT):i.cullFace(i.FRONT_AND_BACK))):Xt(i.CULL_FACE),z=O}function Sn(O){O!==H&&(G&&i.lineWidth(O),H=O)}function ye(O,st,et){O?(Mt(i.POLYGON_OFFSET_FILL),(N!==st||W!==et)&&(N=st,W=et,o.getReversed()&&(st=-st,et=-et),i.polygonOffset(st,et))):Xt(i.POLYGON_OFFSET_FILL)}function fn(O){O?Mt(i.SCISSOR_TEST):Xt(i.SCISSOR_TEST)}function Ze(O){O===void 0&&(O=i.TEXTURE0+Y-1),j!==O&&(i.activeTexture(O),j=O)}function sn(O,st,et){et===void 0&&(j===null?et=i.TEXTURE0+Y-1:et=j);let wt=it[et];wt===void 0&&(wt={type:void 0,texture:void 0},it[et]=wt),(wt.type!==O||wt.texture!==st)&&(j!==et&&(i.activeTexture(et),j=et),i.bindTexture(O,st||Et[O]),wt.type=O,wt.texture=st)}function B(){let O=it[j];O!==void 0&&O.type!==void 0&&(i.bindTexture(O.type,null),O.type=void 0,O.texture=void 0)}function Rt(){try{i.compressedTexImage2D(...arguments)}catch(O){Qt("WebGLState:",O)}}function Zt(){try{i.compressedTexImage3D(...arguments)}catch(O){Qt("WebGLState:",O)}}function re(){try{i.texSubImage2D(...arguments)}catch(O){Qt("WebGLState:",O)}}function bt(){try{i.texSubImage3D(...arguments)}catch(O){Qt("WebGLState:",O)}}function Ue(){try{i.compressedTexSubImage2D(...arguments)}catch(O){Qt("WebGLState:",O)}}function Vt(){try{i.compressedTexSubImage3D(...arguments)}catch(O){Qt("WebGLState:",O)}}function Yt(){try{i.texStorage2D(...arguments)}catch(O){Qt("WebGLState:",O)}}function R(){try{i.texStorage3D(...arguments)}catch(O){Qt("WebGLState:",O)}}function M(){try{i.texImage2D(...arguments)}catch(O){Qt("WebGLState:",O)}}function X(){try{i.texImage3D(...arguments)}catch(O){Qt("WebGLState:",O)}}function ct(O){return u[O]!==void 0?u[O]:i.getParameter(O)}function rt(O,st){u[O]!==st&&(i.pixelStorei(O,st),u[O]=st)}function gt(O){Q.equals(O)===!1&&(i.scissor(O.x,O.y,O.z,O.w),Q.copy(O))}function xt(O){pt.equals(O)===!1&&(i.viewport(O.x,O.y,O.z,O.w),pt.copy(O))}function tt(O,st){let et=c.get(st);et===void 0&&(et=new WeakMap,c.set(st,et));let wt=et.get(O);wt===void 0&&(wt=i.getUniformBlockIndex(st,O.name),i.uniformBlockBinding(st,wt,wt),et.set(O,wt))}function nt(O,st,et){let mt=c.get(st).get(O);l[mt]!==et&&(i.bindBufferBase(i.UNIFORM_BUFFER,mt,et),l[mt]=et)}function ft(){i.disable(i.BLEND),i.disable(i.CULL_FACE),i.disable(i.DEPTH_TEST),i.disable(i.POLYGON_OFFSET_FILL),i.disable(i.SCISSOR_TEST),i.disable(i.STENCIL_TEST),i.disable(i.SAMPLE_ALPHA_TO_COVERAGE),i.blendEquation(i.FUNC_ADD),i.blendFunc(i.ONE,i.ZERO),i.blendFuncSeparate(i.ONE,i.ZERO,i.ONE,i.ZERO),i.blendColor(0,0,0,0),i.colorMask(!0,!0,!0,!0),i.clearColor(0,0,0,0),i.depthMask(!0),i.depthFunc(i.LESS),o.setReversed(!1),i.clearDepth(1),i.stencilMask(4294967295),i.stencilFunc(i.ALWAYS,0,4294967295),i.stencilOp(i.KEEP,i.KEEP,i.KEEP),i.clearStencil(0),i.cullFace(i.BACK),i.frontFace(i.CCW),i.polygonOffset(0,0),i.activeTexture(i.TEXTURE0),i.bindFramebuffer(i.FRAMEBUFFER,null),i.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),i.bindFramebuffer(i.READ_FRAMEBUFFER,null),i.useProgram(null),i.lineWidth(1),i.scissor(0,0,i.canvas.width,i.canvas.height),i.viewport(0,0,i.canvas.width,i.canvas.height),i.pixelStorei(i.PACK_ALIGNMENT,4),i.pixelStorei(i.UNPACK_ALIGNMENT,4),i.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,!1),i.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,!1),i.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,i.BROWSER_DEFAULT_WEBGL),i.pixelStorei(i.PACK_ROW_LENGTH,0),i.pixelStorei(i.PACK_SKIP_PIXELS,0),i.pixelStorei(i.PACK_SKIP_ROWS,0),i.pixelStorei(i.UNPACK_ROW_LENGTH,0),i.pixelStorei(i.UNPACK_IMAGE_HEIGHT,0),i.pixelStorei(i.UNPACK_SKIP_PIXELS,0),i.pixelStorei(i.UNPACK_SKIP_ROWS,0),i.pixelStorei(i.UNPACK_SKIP_IMAGES,0),h={},u={},j=null,it={},d={},l={},f=new WeakMap,g=[],v=null,p=!1,m=null,y=null,T=null,S=null,C=null,E=null,_=null,w=new zt(0,0,0),F=0,I=!1,L=null,z=null,H=null,N=null,W=null,Q.set(0,0,i.canvas.width,i.canvas.height),pt.set(0,0,i.canvas.width,i.canvas.height),r.reset(),o.reset(),a.reset()}return{buffers:{color:r,depth:o,stencil:a},enable:Mt,disable:Xt,bindFramebuffer:se,drawBuffers:Ht,useProgram:ue,setBlending:qe,setMaterial:Be,setFlipSided:nn,setCullFace:De,setLineWidth:Sn,setPolygonOffset:ye,setScissorTest:fn,activeTexture:Ze,bindTexture:sn,unbindTexture:B,compressedTexImage2D:Rt,compressedTexImage3D:Zt,texImage2D:M,texImage3D:X,pixelStorei:rt,getParameter:ct,updateUBOMapping:tt,uniformBlockBinding:nt,texStorage2D:Yt,texStorage3D:R,texSubImage2D:re,texSubImage3D:bt,compressedTexSubImage2D:Ue,compressedTexSubImage3D:Vt,scissor:gt,viewport:xt,reset:ft}}function kb(i,t,e,n,s,r,o){let a=t.has("WEBGL_multisampled_render_to_texture")?t.get("WEBGL_multisampled_render_to_texture"):null,l=typeof navigator>"u"?!1:/OculusBrowser/g.test(navigator.userAgent),c=new Gt,h=new WeakMap,u=new Set,d,f=new WeakMap,g=new Set,v=new FinalizationRegistry(R=>g.delete(R)),p=!1;try{p=typeof OffscreenCanvas<"u"&&new OffscreenCanvas(1,1).getContext("2d")!==null}catch{}function m(R,M){return p?new OffscreenCanvas(R,M):da("canvas")}function y(R,M,X){let ct=1,rt=Yt(R);if((rt.width>X||rt.height>X)&&(ct=X/Math.max(rt.width,rt.height)),ct<1)if(typeof HTMLImageElement<"u"&&R instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&R instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&R instanceof ImageBitmap||typeof VideoFrame<"u"&&R instanceof VideoFrame){let gt=Math.floor(ct*rt.width),xt=Math.floor(ct*rt.height);d===void 0&&(d=m(gt,xt));let tt=M?m(gt,xt):d;return tt.width=gt,tt.height=xt,tt.getContext("2d").drawImage(R,0,0,gt,xt),$t("WebGLRenderer: Texture has been resized from ("+rt.width+"x"+rt.height+") to ("+gt+"x"+xt+")."),tt}else return"data"in R&&$t("WebGLRenderer: Image in DataTexture is too big ("+rt.width+"x"+rt.height+")."),R;return R}function T(R){return R.generateMipmaps}function S(R){i.generateMipmap(R)}function C(R){return R.isWebGLCubeRenderTarget?i.TEXTURE_CUBE_MAP:R.isWebGL3DRenderTarget?i.TEXTURE_3D:R.isWebGLArrayRenderTarget||R.isCompressedArrayTexture?i.TEXTURE_2D_ARRAY:i.TEXTURE_2D}function E(R,M,X,ct,rt,gt=!1){if(R!==null){if(i[R]!==void 0)return i[R];$t("WebGLRenderer: Attempt to use non-existing WebGL internal format '"+R+"'")}let xt;ct&&(xt=t.get("EXT_texture_norm16"),xt||$t("WebGLRenderer: Unable to use normalized textures without EXT_texture_norm16 extension"));let tt=M;if(M===i.RED&&(X===i.FLOAT&&(tt=i.R32F),X===i.HALF_FLOAT&&(tt=i.R16F),X===i.UNSIGNED_BYTE&&(tt=i.R8),X===i.UNSIGNED_SHORT&&xt&&(tt=xt.R16_EXT),X===i.SHORT&&xt&&(tt=xt.R16_SNORM_EXT)),M===i.RED_INTEGER&&(X===i.UNSIGNED_BYTE&&(tt=i.R8UI),X===i.UNSIGNED_SHORT&&(tt=i.R16UI),X===i.UNSIGNED_INT&&(tt=i.R32UI),X===i.BYTE&&(tt=i.R8I),X===i.SHORT&&(tt=i.R16I),X===i.INT&&(tt=i.R32I)),M===i.RG&&(X===i.FLOAT&&(tt=i.RG32F),X===i.HALF_FLOAT&&(tt=i.RG16F),X===i.UNSIGNED_BYTE&&(tt=i.RG8),X===i.UNSIGNED_SHORT&&xt&&(tt=xt.RG16_EXT),X===i.SHORT&&xt&&(tt=xt.RG16_SNORM_EXT)),M===i.RG_INTEGER&&(X===i.UNSIGNED_BYTE&&(tt=i.RG8UI),X===i.UNSIGNED_SHORT&&(tt=i.RG16UI),X===i.UNSIGNED_INT&&(tt=i.RG32UI),X===i.BYTE&&(tt=i.RG8I),X===i.SHORT&&(tt=i.RG16I),X===i.INT&&(tt=i.RG32I)),M===i.RGB_INTEGER&&(X===i.UNSIGNED_BYTE&&(tt=i.RGB8UI),X===i.UNSIGNED_SHORT&&(tt=i.RGB16UI),X===i.UNSIGNED_INT&&(tt=i.RGB32UI),X===i.BYTE&&(tt=i.RGB8I),X===i.SHORT&&(tt=i.RGB16I),X===i.INT&&(tt=i.RGB32I)),M===i.RGBA_INTEGER&&(X===i.UNSIGNED_BYTE&&(tt=i.RGBA8UI),X===i.UNSIGNED_SHORT&&(tt=i.RGBA16UI),X===i.UNSIGNED_INT&&(tt=i.RGBA32UI),X===i.BYTE&&(tt=i.RGBA8I),X===i.SHORT&&(tt=i.RGBA16I),X===i.INT&&(tt=i.RGBA32I)),M===i.RGB&&(X===i.UNSIGNED_SHORT&&xt&&(tt=xt.RGB16_EXT),X===i.SHORT&&xt&&(tt=xt.RGB16_SNORM_EXT),X===i.UNSIGNED_INT_5_9_9_9_REV&&(tt=i.RGB9_E5),X===i.UNSIGNED_INT_10F_11F_11F_REV&&(tt=i.R11F_G11F_B10F)),M===i.RGBA){let nt=gt?ua:ge.getTransfer(rt);X===i.FLOAT&&(tt=i.RGBA32F),X===i.HALF_FLOAT&&(tt=i.RGBA16F),X===i.UNSIGNED_BYTE&&(tt=nt===Ee?i.SRGB8_ALPHA8:i.RGBA8),X===i.UNSIGNED_SHORT&&xt&&(tt=xt.RGBA16_EXT),X===i.SHORT&&xt&&(tt=xt.RGBA16_SNORM_EXT),X===i.UNSIGNED_SHORT_4_4_4_4&&(tt=i.RGBA4),X===i.UNSIGNED_SHORT_5_5_5_1&&(tt=i.RGB5_A1)}return(tt===i.R16F||tt===i.R32F||tt===i.RG16F||tt===i.RG32F||tt===i.RGBA16F||tt===i.RGBA32F)&&t.get("EXT_color_buffer_float"),tt}function _(R,M){let X;return R?M===null||M===Fi||M===Sr?X=i.DEPTH24_STENCIL8:M===wi?X=i.DEPTH32F_STENCIL8:M===To&&(X=i.DEPTH24_STENCIL8,$t("DepthTexture: 16 bit depth attachment is not supported with stencil. Using 24-bit attachment.")):M===null||M===Fi||M===Sr?X=i.DEPTH_COMPONENT24:M===wi?X=i.DEPTH_COMPONENT32F:M===To&&(X=i.DEPTH_COMPONENT16),X}function w(R,M){return T(R)===!0||R.isFramebufferTexture&&R.minFilter!==Rn&&R.minFilter!==Kn?Math.log2(Math.max(M.width,M.height))+1:R.mipmaps.length>0?R.mipmaps.length:R.isCompressedTexture&&Array.isArray(R.image)?M.mipmaps.length:1}function F(R){let M=new WeakRef(R);n.get(R).__ref=M,g.add(M),v.register(R,M,M)}function I(R){let M=n.get(R).__ref;M!==void 0&&(g.delete(M),v.unregister(M))}function L(R){H(R.target)}function z(R){N(R.target)}function H(R){R.removeEventListener("dispose",L),I(R),Y(R),R.isVideoTexture&&h.delete(R),R.isHTMLTexture&&u.delete(R)}function N(R){R.removeEventListener("dispose",z),I(R),lt(R)}function W(){for(let R of g){let M=R.deref();M!==void 0&&(M.isRenderTarget===!0?N(M):H(M))}g.clear(),u.clear()}function Y(R){let M=n.get(R);if(M.__webglInit===void 0)return;let X=R.source,ct=f.get(X);if(ct){let rt=ct[M.__cacheKey];rt.usedTimes--,rt.usedTimes===0&&G(R),Object.keys(ct).length===0&&f.delete(X)}n.remove(R)}function G(R){let M=n.get(R);i.deleteTexture(M.__webglTexture);let X=R.source,ct=f.get(X);delete ct[M.__cacheKey],o.memory.textures--}function lt(R){let M=n.get(R);M.__depthDisposeCallback&&M.__depthDisposeCallback();let X=R.depthTexture;if(X&&X.renderTarget===R&&H(X),R.isWebGLCubeRenderTarget)for(let rt=0;rt<6;rt++){if(Array.isArray(M.__webglFramebuffer[rt]))for(let gt=0;gt<M.__webglFramebuffer[rt].length;gt++)i.deleteFramebuffer(M.__webglFramebuffer[rt][gt]);else i.deleteFramebuffer(M.__webglFramebuffer[rt]);M.__webglDepthbuffer&&i.deleteRenderbuffer(M.__webglDepthbuffer[rt])}else{if(Array.isArray(M.__webglFramebuffer))for(let rt=0;rt<M.__webglFramebuffer.length;rt++)i.deleteFramebuffer(M.__webglFramebuffer[rt]);else i.deleteFramebuffer(M.__webglFramebuffer);if(M.__webglDepthbuffer&&i.deleteRenderbuffer(M.__webglDepthbuffer),M.__webglMultisampledFramebuffer&&i.deleteFramebuffer(M.__webglMultisampledFramebuffer),M.__webglColorRenderbuffer)for(let rt=0;rt<M.__webglColorRenderbuffer.length;rt++)M.__webglColorRenderbuffer[rt]&&i.deleteRenderbuffer(M.__webglColorRenderbuffer[rt]);M.__webglDepthRenderbuffer&&i.deleteRenderbuffer(M.__webglDepthRenderbuffer)}let ct=R.textures;for(let rt=0,gt=ct.length;rt<gt;rt++){let xt=n.get(ct[rt]);xt.__webglTexture&&(i.deleteTexture(xt.__webglTexture),o.memory.textures--),n.remove(ct[rt])}n.remove(R)}let J=0;function j(){J=0}function it(){return J}function ut(R){J=R}function ht(){let R=J;return R>=s.maxTextures&&$t("WebGLTextures: Trying to use "+(R+1)+" texture units while this GPU supports only "+s.maxTextures),J+=1,R}function Q(R){let M=[];return M.push(R.wrapS),M.push(R.wrapT),M.push(R.wrapR||0),M.push(R.magFilter),M.push(R.minFilter),M.push(R.anisotropy),M.push(R.internalFormat),M.push(R.format),M.push(R.type),M.push(R.generateMipmaps),M.push(R.mipmapsAutoUpdate),M.push(R.premultiplyAlpha),M.push(R.flipY),M.push(R.unpackAlignment),M.push(R.colorSpace),M.join()}function pt(R,M){let X=n.get(R);if(R.isVideoTexture&&Ue(R),R.isRenderTargetTexture===!1&&R.isExternalTexture!==!0&&R.version>0&&X.__version!==R.version){let ct=R.image;if(ct===null)$t("WebGLRenderer: Texture marked for update but no image data found.");else if(ct.complete===!1)$t("WebGLRenderer: Texture marked for update but image is incomplete");else{Be(X,R,M);return}}else R.isExternalTexture&&(X.__webglTexture=R.sourceTexture?R.sourceTexture:null);e.bindTexture(i.TEXTURE_2D,X.__webglTexture,i.TEXTURE0+M)}function _t(R,M){let X=n.get(R);if(R.isRenderTargetTexture===!1&&R.version>0&&X.__version!==R.version){Be(X,R,M);return}else R.isExternalTexture&&(X.__webglTexture=R.sourceTexture?R.sourceTexture:null);e.bindTexture(i.TEXTURE_2D_ARRAY,X.__webglTexture,i.TEXTURE0+M)}function Et(R,M){let X=n.get(R);if(R.isRenderTargetTexture===!1&&R.version>0&&X.__version!==R.version){Be(X,R,M);return}e.bindTexture(i.TEXTURE_3D,X.__webglTexture,i.TEXTURE0+M)}function Mt(R,M){let X=n.get(R);if(R.version>0&&X.__version!==R.version){nn(X,R,M);return}e.bindTexture(i.TEXTURE_CUBE_MAP,X.__webglTexture,i.TEXTURE0+M)}let Xt={[Zl]:i.REPEAT,[Ji]:i.CLAMP_TO_EDGE,[Jl]:i.MIRRORED_REPEAT},se={[Rn]:i.NEAREST,[Pm]:i.NEAREST_MIPMAP_NEAREST,[Ba]:i.NEAREST_MIPMAP_LINEAR,[Kn]:i.LINEAR,[Dc]:i.LINEAR_MIPMAP_NEAREST,[vs]:i.LINEAR_MIPMAP_LINEAR},Ht={[Nm]:i.NEVER,[Cd]:i.ALWAYS,[Um]:i.LESS,[Td]:i.LEQUAL,[Fm]:i.EQUAL,[Ed]:i.GEQUAL,[Om]:i.GREATER,[Bm]:i.NOTEQUAL};function ue(R,M){if(M.type===wi&&t.has("OES_texture_float_linear")===!1&&(M.magFilter===Kn||M.magFilter===Dc||M.magFilter===Ba||M.magFilter===vs||M.minFilter===Kn||M.minFilter===Dc||M.minFilter===Ba||M.minFilter===vs)&&$t("WebGLRenderer: Unable to use linear filtering with floating point textures. OES_texture_float_linear not supported on this device."),i.texParameteri(R,i.TEXTURE_WRAP_S,Xt[M.wrapS]),i.texParameteri(R,i.TEXTURE_WRAP_T,Xt[M.wrapT]),(R===i.TEXTURE_3D||R===i.TEXTURE_2D_ARRAY)&&i.texParameteri(R,i.TEXTURE_WRAP_R,Xt[M.wrapR]),i.texParameteri(R,i.TEXTURE_MAG_FILTER,se[M.magFilter]),i.texParameteri(R,i.TEXTURE_MIN_FILTER,se[M.minFilter]),M.compareFunction&&(i.texParameteri(R,i.TEXTURE_COMPARE_MODE,i.COMPARE_REF_TO_TEXTURE),i.texParameteri(R,i.TEXTURE_COMPARE_FUNC,Ht[M.compareFunction])),t.has("EXT_texture_filter_anisotropic")===!0){if(M.magFilter===Rn||M.minFilter!==Ba&&M.minFilter!==vs||M.type===wi&&t.has("OES_texture_float_linear")===!1)return;if(M.anisotropy>1||n.get(M).__currentAnisotropy){let X=t.get("EXT_texture_filter_anisotropic");i.texParameterf(R,X.TEXTURE_MAX_ANISOTROPY_EXT,Math.min(M.anisotropy,s.getMaxAnisotropy())),n.get(M).__currentAnisotropy=M.anisotropy}}}function le(R,M){let X=!1;R.__webglInit===void 0&&(R.__webglInit=!0,M.addEventListener("dispose",L),F(M));let ct=M.source,rt=f.get(ct);rt===void 0&&(rt={},f.set(ct,rt));let gt=Q(M);if(gt!==R.__cacheKey){rt[gt]===void 0&&(rt[gt]={texture:i.createTexture(),usedTimes:0},o.memory.textures++,X=!0),rt[gt].usedTimes++;let xt=rt[R.__cacheKey];xt!==void 0&&(rt[R.__cacheKey].usedTimes--,xt.usedTimes===0&&G(M)),R.__cacheKey=gt,R.__webglTexture=rt[gt].texture}return X}function ne(R,M,X){return Math.floor(Math.floor(R/X)/M)}function qe(R,M,X,ct){let gt=R.updateRanges;if(gt.length===0)e.texSubImage2D(i.TEXTURE_2D,0,0,0,M.width,M.height,X,ct,M.data);else{gt.sort((O,st)=>O.start-st.start);let xt=0;for(let O=1;O<gt.length;O++){let st=gt[xt],et=gt[O],wt=st.start+st.count,mt=ne(et.start,M.width,4),St=ne(st.start,M.width,4);et.start<=wt+1&&mt===St&&ne(et.start+et.count-1,M.width,4)===mt?st.count=Math.max(st.count,et.start+et.count-st.start):(++xt,gt[xt]=et)}gt.length=xt+1;let tt=e.getParameter(i.UNPACK_ROW_LENGTH),nt=e.getParameter(i.UNPACK_SKIP_PIXELS),ft=e.getParameter(i.UNPACK_SKIP_ROWS);e.pixelStorei(i.UNPACK_ROW_LENGTH,M.width);for(let O=0,st=gt.length;O<st;O++){let et=gt[O],wt=Math.floor(et.start/4),mt=Math.ceil(et.count/4),St=wt%M.width,Wt=Math.floor(wt/M.width),Kt=mt,at=1;e.pixelStorei(i.UNPACK_SKIP_PIXELS,St),e.pixelStorei(i.UNPACK_SKIP_ROWS,Wt),e.texSubImage2D(i.TEXTURE_2D,0,St,Wt,Kt,at,X,ct,M.data)}R.clearUpdateRanges(),e.pixelStorei(i.UNPACK_ROW_LENGTH,tt),e.pixelStorei(i.UNPACK_SKIP_PIXELS,nt),e.pixelStorei(i.UNPACK_SKIP_ROWS,ft)}}function Be(R,M,X){let ct=i.TEXTURE_2D;(M.isDataArrayTexture||M.isCompressedArrayTexture)&&(ct=i.TEXTURE_2D_ARRAY),M.isData3DTexture&&(ct=i.TEXTURE_3D);let rt=le(R,M),gt=M.source;e.bindTexture(ct,R.__webglTexture,i.TEXTURE0+X);let xt=n.get(gt);if(gt.version!==xt.__version||rt===!0){if(e.activeTexture(i.TEXTURE0+X),(typeof ImageBitmap<"u"&&M.image instanceof ImageBitmap)===!1){let at=ge.getPrimaries(ge.workingColorSpace),Ot=M.colorSpace===Ms?null:ge.getPrimaries(M.colorSpace),jt=M.colorSpace===Ms||at===Ot?i.NONE:i.BROWSER_DEFAULT_WEBGL;e.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,M.flipY),e.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,M.premultiplyAlpha),e.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,jt)}e.pixelStorei(i.UNPACK_ALIGNMENT,M.unpackAlignment);let nt=y(M.image,!1,s.maxTextureSize);nt=Vt(M,nt);let ft=r.convert(M.format,M.colorSpace),O=r.convert(M.type),st=E(M.internalFormat,ft,O,M.normalized,M.colorSpace,M.isVideoTexture);ue(ct,M);let et,wt=M.mipmaps,mt=M.isVideoTexture!==!0,St=xt.__version===void 0||rt===!0,Wt=gt.dataReady,Kt=w(M,nt);if(M.isDepthTexture)st=_(M.format===Ss,M.type),St&&(mt?e.texStorage2D(i.TEXTURE_2D,1,st,nt.width,nt.height):e.texImage2D(i.TEXTURE_2D,0,st,nt.width,nt.height,0,ft,O,null));else if(M.isDataTexture)if(wt.length>0){mt&&St&&e.texStorage2D(i.TEXTURE_2D,Kt,st,wt[0].width,wt[0].height);for(let at=0,Ot=wt.length;at<Ot;at++)et=wt[at],mt?Wt&&e.texSubImage2D(i.TEXTURE_2D,at,0,0,et.width,et.height,ft,O,et.data):e.texImage2D(i.TEXTURE_2D,at,st,et.width,et.height,0,ft,O,et.data);M.generateMipmaps=!1}else mt?(St&&e.texStorage2D(i.TEXTURE_2D,Kt,st,nt.width,nt.height),Wt&&qe(M,nt,ft,O)):e.texImage2D(i.TEXTURE_2D,0,st,nt.width,nt.height,0,ft,O,nt.data);else if(M.isCompressedTexture)if(M.isCompressedArrayTexture){mt&&St&&e.texStorage3D(i.TEXTURE_2D_ARRAY,Kt,st,wt[0].width,wt[0].height,nt.depth);for(let at=0,Ot=wt.length;at<Ot;at++)if(et=wt[at],M.format!==Bi)if(ft!==null)if(mt){if(Wt)if(M.layerUpdates.size>0){let jt=Vd(et.width,et.height,M.format,M.type);for(let Ct of M.layerUpdates){let ae=et.data.subarray(Ct*jt/et.data.BYTES_PER_ELEMENT,(Ct+1)*jt/et.data.BYTES_PER_ELEMENT);e.compressedTexSubImage3D(i.TEXTURE_2D_ARRAY,at,0,0,Ct,et.width,et.height,1,ft,ae)}}else e.compressedTexSubImage3D(i.TEXTURE_2D_ARRAY,at,0,0,0,et.width,et.height,nt.depth,ft,et.data)}else e.compressedTexImage3D(i.TEXTURE_2D_ARRAY,at,st,et.width,et.height,nt.depth,0,et.data,0,0);else $t("WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()");else mt?Wt&&e.texSubImage3D(i.TEXTURE_2D_ARRAY,at,0,0,0,et.width,et.height,nt.depth,ft,O,et.data):e.texImage3D(i.TEXTURE_2D_ARRAY,at,st,et.width,et.height,nt.depth,0,ft,O,et.data);M.layerUpdates.size>0&&M.clearLayerUpdates()}else{mt&&St&&e.texStorage2D(i.TEXTURE_2D,Kt,st,wt[0].width,wt[0].height);for(let at=0,Ot=wt.length;at<Ot;at++)et=wt[at],M.format!==Bi?ft!==null?mt?Wt&&e.compressedTexSubImage2D(i.TEXTURE_2D,at,0,0,et.width,et.height,ft,et.data):e.compressedTexImage2D(i.TEXTURE_2D,at,st,et.width,et.height,0,et.data):$t("WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()"):mt?Wt&&e.texSubImage2D(i.TEXTURE_2D,at,0,0,et.width,et.height,ft,O,et.data):e.texImage2D(i.TEXTURE_2D,at,st,et.width,et.height,0,ft,O,et.data)}else if(M.isDataArrayTexture)if(mt){if(St&&e.texStorage3D(i.TEXTURE_2D_ARRAY,Kt,st,nt.width,nt.height,nt.depth),Wt)if(M.layerUpdates.size>0){let at=Vd(nt.width,nt.height,M.format,M.type);for(let Ot of M.layerUpdates){let jt=nt.data.subarray(Ot*at/nt.data.BYTES_PER_ELEMENT,(Ot+1)*at/nt.data.BYTES_PER_ELEMENT);e.texSubImage3D(i.TEXTURE_2D_ARRAY,0,0,0,Ot,nt.width,nt.height,1,ft,O,jt)}M.clearLayerUpdates()}else e.texSubImage3D(i.TEXTURE_2D_ARRAY,0,0,0,0,nt.width,nt.height,nt.depth,ft,O,nt.data)}else e.texImage3D(i.TEXTURE_2D_ARRAY,0,st,nt.width,nt.height,nt.depth,0,ft,O,nt.data);else if(M.isData3DTexture)mt?(St&&e.texStorage3D(i.TEXTURE_3D,Kt,st,nt.width,nt.height,nt.depth),Wt&&e.texSubImage3D(i.TEXTURE_3D,0,0,0,0,nt.width,nt.height,nt.depth,ft,O,nt.data)):e.texImage3D(i.TEXTURE_3D,0,st,nt.width,nt.height,nt.depth,0,ft,O,nt.data);else if(M.isFramebufferTexture){if(St)if(mt)e.texStorage2D(i.TEXTURE_2D,Kt,st,nt.width,nt.height);else{let at=nt.width,Ot=nt.height;for(let jt=0;jt<Kt;jt++)e.texImage2D(i.TEXTURE_2D,jt,st,at,Ot,0,ft,O,null),at>>=1,Ot>>=1}}else if(M.isHTMLTexture){if("texElementImage2D"in i){let at=i.canvas;if(at.hasAttribute("layoutsubtree")||at.setAttribute("layoutsubtree","true"),nt.parentNode!==at){at.appendChild(nt),u.add(M),at.onpaint=Ot=>{let jt=Ot.changedElements;for(let Ct of u)jt.includes(Ct.image)&&(Ct.needsUpdate=!0)},at.requestPaint();return}if(i.texElementImage2D.length===3)i.texElementImage2D(i.TEXTURE_2D,i.RGBA8,nt);else{let jt=i.RGBA,Ct=i.RGBA,ae=i.UNSIGNED_BYTE;i.texElementImage2D(i.TEXTURE_2D,0,jt,Ct,ae,nt)}i.texParameteri(i.TEXTURE_2D,i.TEXTURE_MIN_FILTER,i.LINEAR),i.texParameteri(i.TEXTURE_2D,i.TEXTURE_WRAP_S,i.CLAMP_TO_EDGE),i.texParameteri(i.TEXTURE_2D,i.TEXTURE_WRAP_T,i.CLAMP_TO_EDGE)}}else if(wt.length>0){if(mt&&St){let at=Yt(wt[0]);e.texStorage2D(i.TEXTURE_2D,Kt,st,at.width,at.height)}for(let at=0,Ot=wt.length;at<Ot;at++)et=wt[at],mt?Wt&&e.texSubImage2D(i.TEXTURE_2D,at,0,0,ft,O,et):e.texImage2D(i.TEXTURE_2D,at,st,ft,O,et);M.generateMipmaps=!1}else if(mt){if(St){let at=Yt(nt);e.texStorage2D(i.TEXTURE_2D,Kt,st,at.width,at.height)}Wt&&e.texSubImage2D(i.TEXTURE_2D,0,0,0,ft,O,nt)}else e.texImage2D(i.TEXTURE_2D,0,st,ft,O,nt);T(M)&&M.mipmapsAutoUpdate===!0&&S(ct),xt.__version=gt.version,M.onUpdate&&M.onUpdate(M)}R.__version=M.version}function nn(R,M,X){if(M.image.length!==6)return;let ct=le(R,M),rt=M.source;e.bindTexture(i.TEXTURE_CUBE_MAP,R.__webglTexture,i.TEXTURE0+X);let gt=n.get(rt);if(rt.version!==gt.__version||ct===!0){e.activeTexture(i.TEXTURE0+X);let xt=ge.getPrimaries(ge.workingColorSpace),tt=M.colorSpace===Ms?null:ge.getPrimaries(M.colorSpace),nt=M.colorSpace===Ms||xt===tt?i.NONE:i.BROWSER_DEFAULT_WEBGL;e.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,M.flipY),e.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,M.premultiplyAlpha),e.pixelStorei(i.UNPACK_ALIGNMENT,M.unpackAlignment),e.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,nt);let ft=M.isCompressedTexture||M.image[0].isCompressedTexture,O=M.image[0]&&M.image[0].isDataTexture,st=[];for(let Ct=0;Ct<6;Ct++)!ft&&!O?st[Ct]=y(M.image[Ct],!0,s.maxCubemapSize):st[Ct]=O?M.image[Ct].image:M.image[Ct],st[Ct]=Vt(M,st[Ct]);let et=st[0],wt=r.convert(M.format,M.colorSpace),mt=r.convert(M.type),St=E(M.internalFormat,wt,mt,M.normalized,M.colorSpace),Wt=M.isVideoTexture!==!0,Kt=gt.__version===void 0||ct===!0,at=rt.dataReady,Ot=w(M,et);ue(i.TEXTURE_CUBE_MAP,M);let jt;if(M.isDepthTexture){if(St=_(M.format===Ss,M.type),Kt)if(Wt)e.texStorage2D(i.TEXTURE_CUBE_MAP,1,St,et.width,et.height);else for(let Ct=0;Ct<6;Ct++)e.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Ct,0,St,et.width,et.height,0,wt,mt,null)}else if(ft){Wt&&Kt&&e.texStorage2D(i.TEXTURE_CUBE_MAP,Ot,St,et.width,et.height);for(let Ct=0;Ct<6;Ct++){jt=st[Ct].mipmaps;for(let ae=0;ae<jt.length;ae++){let ze=jt[ae];M.format!==Bi?wt!==null?Wt?at&&e.compressedTexSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Ct,ae,0,0,ze.width,ze.height,wt,ze.data):e.compressedTexImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Ct,ae,St,ze.width,ze.height,0,ze.data):$t("WebGLRenderer: Attempt to load unsupported compressed texture format in .setTextureCube()"):Wt?at&&e.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Ct,ae,0,0,ze.width,ze.height,wt,mt,ze.data):e.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Ct,ae,St,ze.width,ze.height,0,wt,mt,ze.data)}}}else{if(jt=M.mipmaps,Wt&&Kt){jt.length>0&&Ot++;let Ct=Yt(st[0]);e.texStorage2D(i.TEXTURE_CUBE_MAP,Ot,St,Ct.width,Ct.height)}for(let Ct=0;Ct<6;Ct++)if(O){Wt?at&&e.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Ct,0,0,0,st[Ct].width,st[Ct].height,wt,mt,st[Ct].data):e.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Ct,0,St,st[Ct].width,st[Ct].height,0,wt,mt,st[Ct].data);for(let ae=0;ae<jt.length;ae++){let Wn=jt[ae].image[Ct].image;Wt?at&&e.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Ct,ae+1,0,0,Wn.width,Wn.height,wt,mt,Wn.data):e.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Ct,ae+1,St,Wn.width,Wn.height,0,wt,mt,Wn.data)}}else{Wt?at&&e.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Ct,0,0,0,wt,mt,st[Ct]):e.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Ct,0,St,wt,mt,st[Ct]);for(let ae=0;ae<jt.length;ae++){let ze=jt[ae];Wt?at&&e.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Ct,ae+1,0,0,wt,mt,ze.image[Ct]):e.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+Ct,ae+1,St,wt,mt,ze.image[Ct])}}}T(M)&&M.mipmapsAutoUpdate===!0&&S(i.TEXTURE_CUBE_MAP),gt.__version=rt.version,M.onUpdate&&M.onUpdate(M)}R.__version=M.version}function De(R,M,X,ct,rt,gt){let xt=r.convert(X.format,X.colorSpace),tt=r.convert(X.type),nt=E(X.internalFormat,xt,tt,X.normalized,X.colorSpace),ft=n.get(M),O=n.get(X);if(O.__renderTarget=M,!ft.__hasExternalTextures){let st=Math.max(1,M.width>>gt),et=Math.max(1,M.height>>gt);rt===i.TEXTURE_3D||rt===i.TEXTURE_2D_ARRAY?e.texImage3D(rt,gt,nt,st,et,M.depth,0,xt,tt,null):e.texImage2D(rt,gt,nt,st,et,0,xt,tt,null)}e.bindFramebuffer(i.FRAMEBUFFER,R),bt(M)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,ct,rt,O.__webglTexture,0,re(M)):(rt===i.TEXTURE_2D||rt>=i.TEXTURE_CUBE_MAP_POSITIVE_X&&rt<=i.TEXTURE_CUBE_MAP_NEGATIVE_Z)&&i.framebufferTexture2D(i.FRAMEBUFFER,ct,rt,O.__webglTexture,gt),e.bindFramebuffer(i.FRAMEBUFFER,null)}function Sn(R,M,X){if(i.bindRenderbuffer(i.RENDERBUFFER,R),M.depthBuffer){let ct=M.depthTexture,rt=ct&&ct.isDepthTexture?ct.type:null,gt=_(M.stencilBuffer,rt),xt=M.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;bt(M)?a.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,re(M),gt,M.width,M.height):X?i.renderbufferStorageMultisample(i.RENDERBUFFER,re(M),gt,M.width,M.height):i.renderbufferStorage(i.RENDERBUFFER,gt,M.width,M.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,xt,i.RENDERBUFFER,R)}else{let ct=M.textures;for(let rt=0;rt<ct.length;rt++){let gt=ct[rt],xt=r.convert(gt.format,gt.colorSpace),tt=r.convert(gt.type),nt=E(gt.internalFormat,xt,tt,gt.normalized,gt.colorSpace);bt(M)?a.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,re(M),nt,M.width,M.height):X?i.renderbufferStorageMultisample(i.RENDERBUFFER,re(M),nt,M.width,M.height):i.renderbufferStorage(i.RENDERBUFFER,nt,M.width,M.height)}}i.bindRenderbuffer(i.RENDERBUFFER,null)}function ye(R,M,X){let ct=M.isWebGLCubeRenderTarget===!0;if(e.bindFramebuffer(i.FRAMEBUFFER,R),!(M.depthTexture&&M.depthTexture.isDepthTexture))throw new Error("THREE.WebGLTextures: renderTarget.depthTexture must be an instance of THREE.DepthTexture.");let rt=n.get(M.depthTexture);rt.__renderTarget=M;let gt=ct?M.depthTexture.image[0]:M.depthTexture.image;(!rt.__webglTexture||gt.width!==M.width||gt.height!==M.height)&&(gt.width=M.width,gt.height=M.height,M.depthTexture.needsUpdate=!0),ct?Mt(M.depthTexture,0):pt(M.depthTexture,0);let xt=rt.__webglTexture,tt=re(M),nt=ct?i.TEXTURE_CUBE_MAP_POSITIVE_X+X:i.TEXTURE_2D,ft=M.depthTexture.format===Ss?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;if(M.depthTexture.format===xs)bt(M)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,ft,nt,xt,0,tt):i.framebufferTexture2D(i.FRAMEBUFFER,ft,nt,xt,0);else if(M.depthTexture.format===Ss)bt(M)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,ft,nt,xt,0,tt):i.framebufferTexture2D(i.FRAMEBUFFER,ft,nt,xt,0);else throw new Error("THREE.WebGLTextures: Unknown depthTexture format.")}function fn(R){let M=n.get(R),X=R.isWebGLCubeRenderTarget===!0;if(M.__boundDepthTexture!==R.depthTexture){let ct=R.depthTexture;if(M.__depthDisposeCallback&&M.__depthDisposeCallback(),ct){let rt=()=>{delete M.__boundDepthTexture,delete M.__depthDisposeCallback,ct.removeEventListener("dispose",rt)};ct.addEventListener("dispose",rt),M.__depthDisposeCallback=rt}M.__boundDepthTexture=ct}if(R.depthTexture&&!M.__autoAllocateDepthBuffer)if(X)for(let ct=0;ct<6;ct++)ye(M.__webglFramebuffer[ct],R,ct);else R.texture.mipmaps.length>0?ye(M.__webglFramebuffer[0],R,0):ye(M.__webglFramebuffer,R,0);else if(X){M.__webglDepthbuffer=[];for(let ct=0;ct<6;ct++)if(e.bindFramebuffer(i.FRAMEBUFFER,M.__webglFramebuffer[ct]),M.__webglDepthbuffer[ct]===void 0)M.__webglDepthbuffer[ct]=i.createRenderbuffer(),Sn(M.__webglDepthbuffer[ct],R,!1);else{let rt=R.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,gt=M.__webglDepthbuffer[ct];i.bindRenderbuffer(i.RENDERBUFFER,gt),i.framebufferRenderbuffer(i.FRAMEBUFFER,rt,i.RENDERBUFFER,gt)}}else if(R.texture.mipmaps.length>0?e.bindFramebuffer(i.FRAMEBUFFER,M.__webglFramebuffer[0]):e.bindFramebuffer(i.FRAMEBUFFER,M.__webglFramebuffer),M.__webglDepthbuffer===void 0)M.__webglDepthbuffer=i.createRenderbuffer(),Sn(M.__webglDepthbuffer,R,!1);else{let rt=R.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,gt=M.__webglDepthbuffer;i.bindRenderbuffer(i.RENDERBUFFER,gt),i.framebufferRenderbuffer(i.FRAMEBUFFER,rt,i.RENDERBUFFER,gt)}e.bindFramebuffer(i.FRAMEBUFFER,null)}function Ze(R,M,X){let ct=n.get(R);M!==void 0&&De(ct.__webglFramebuffer,R,R.texture,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,0),X!==void 0&&fn(R)}function sn(R){let M=R.texture,X=n.get(R),ct=n.get(M);R.addEventListener("dispose",z),F(R);let rt=R.textures,gt=R.isWebGLCubeRenderTarget===!0,xt=rt.length>1;if(xt||(ct.__webglTexture===void 0&&(ct.__webglTexture=i.createTexture()),ct.__version=M.version,o.memory.textures++),gt){X.__webglFramebuffer=[];for(let tt=0;tt<6;tt++)if(M.mipmaps.length>0){X.__webglFramebuffer[tt]=[];for(let nt=0;nt<M.mipmaps.length;nt++)X.__webglFramebuffer[tt][nt]=i.createFramebuffer()}else X.__webglFramebuffer[tt]=i.createFramebuffer()}else{if(M.mipmaps.length>0){X.__webglFramebuffer=[];for(let tt=0;tt<M.mipmaps.length;tt++)X.__webglFramebuffer[tt]=i.createFramebuffer()}else X.__webglFramebuffer=i.createFramebuffer();if(xt)for(let tt=0,nt=rt.length;tt<nt;tt++){let ft=n.get(rt[tt]);ft.__webglTexture===void 0&&(ft.__webglTexture=i.createTexture(),o.memory.textures++)}if(R.samples>0&&bt(R)===!1){X.__webglMultisampledFramebuffer=i.createFramebuffer(),X.__webglColorRenderbuffer=[],e.bindFramebuffer(i.FRAMEBUFFER,X.__webglMultisampledFramebuffer);for(let tt=0;tt<rt.length;tt++){let nt=rt[tt];X.__webglColorRenderbuffer[tt]=i.createRenderbuffer(),i.bindRenderbuffer(i.RENDERBUFFER,X.__webglColorRenderbuffer[tt]);let ft=r.convert(nt.format,nt.colorSpace),O=r.convert(nt.type),st=E(nt.internalFormat,ft,O,nt.normalized,nt.colorSpace,R.isXRRenderTarget===!0),et=re(R);i.renderbufferStorageMultisample(i.RENDERBUFFER,et,st,R.width,R.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+tt,i.RENDERBUFFER,X.__webglColorRenderbuffer[tt])}i.bindRenderbuffer(i.RENDERBUFFER,null),R.depthBuffer&&(X.__webglDepthRenderbuffer=i.createRenderbuffer(),Sn(X.__webglDepthRenderbuffer,R,!0)),e.bindFramebuffer(i.FRAMEBUFFER,null)}}if(gt){e.bindTexture(i.TEXTURE_CUBE_MAP,ct.__webglTexture),ue(i.TEXTURE_CUBE_MAP,M);for(let tt=0;tt<6;tt++)if(M.mipmaps.length>0)for(let nt=0;nt<M.mipmaps.length;nt++)De(X.__webglFramebuffer[tt][nt],R,M,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+tt,nt);else De(X.__webglFramebuffer[tt],R,M,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+tt,0);T(M)?S(i.TEXTURE_CUBE_MAP):M.mipmaps.length>0&&i.texParameteri(i.TEXTURE_CUBE_MAP,i.TEXTURE_MAX_LEVEL,M.mipmaps.length-1),e.unbindTexture()}else if(xt){for(let tt=0,nt=rt.length;tt<nt;tt++){let ft=rt[tt],O=n.get(ft),st=i.TEXTURE_2D;(R.isWebGL3DRenderTarget||R.isWebGLArrayRenderTarget)&&(st=R.isWebGL3DRenderTarget?i.TEXTURE_3D:i.TEXTURE_2D_ARRAY),e.bindTexture(st,O.__webglTexture),ue(st,ft),De(X.__webglFramebuffer,R,ft,i.COLOR_ATTACHMENT0+tt,st,0),T(ft)&&S(st)}e.unbindTexture()}else{let tt=i.TEXTURE_2D;if((R.isWebGL3DRenderTarget||R.isWebGLArrayRenderTarget)&&(tt=R.isWebGL3DRenderTarget?i.TEXTURE_3D:i.TEXTURE_2D_ARRAY),e.bindTexture(tt,ct.__webglTexture),ue(tt,M),M.mipmaps.length>0)for(let nt=0;nt<M.mipmaps.length;nt++)De(X.__webglFramebuffer[nt],R,M,i.COLOR_ATTACHMENT0,tt,nt);else De(X.__webglFramebuffer,R,M,i.COLOR_ATTACHMENT0,tt,0);T(M)?S(tt):M.mipmaps.length>0&&i.texParameteri(tt,i.TEXTURE_MAX_LEVEL,M.mipmaps.length-1),e.unbindTexture()}R.depthBuffer&&fn(R)}function B(R){let M=R.textures;for(let X=0,ct=M.length;X<ct;X++){let rt=M[X];if(T(rt)&&rt.mipmapsAutoUpdate===!0){let gt=C(R),xt=n.get(rt).__webglTexture;e.bindTexture(gt,xt),S(gt),e.unbindTexture()}}}let Rt=[];function Zt(R){if(R.samples>0){if(bt(R)===!1){let M=R.textures,X=R.width,ct=R.height,rt=i.COLOR_BUFFER_BIT,gt=R.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,xt=n.get(R),tt=M.length>1;if(tt)for(let ft=0;ft<M.length;ft++)e.bindFramebuffer(i.FRAMEBUFFER,xt.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+ft,i.RENDERBUFFER,null),e.bindFramebuffer(i.FRAMEBUFFER,xt.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+ft,i.TEXTURE_2D,null,0);e.bindFramebuffer(i.READ_FRAMEBUFFER,xt.__webglMultisampledFramebuffer),R.texture.mipmaps.length>0?e.bindFramebuffer(i.DRAW_FRAMEBUFFER,xt.__webglFramebuffer[0]):e.bindFramebuffer(i.DRAW_FRAMEBUFFER,xt.__webglFramebuffer);for(let ft=0;ft<M.length;ft++){if(R.resolveDepthBuffer&&(R.depthBuffer&&(rt|=i.DEPTH_BUFFER_BIT),R.stencilBuffer&&R.resolveStencilBuffer&&(rt|=i.STENCIL_BUFFER_BIT)),tt){i.framebufferRenderbuffer(i.READ_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.RENDERBUFFER,xt.__webglColorRenderbuffer[ft]);let O=n.get(M[ft]).__webglTexture;i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,O,0)}i.blitFramebuffer(0,0,X,ct,0,0,X,ct,rt,i.NEAREST),l===!0&&(Rt.length=0,Rt.push(i.COLOR_ATTACHMENT0+ft),R.depthBuffer&&R.storeMultisampledDepthBuffer===!1&&Rt.push(gt),i.invalidateFramebuffer(i.READ_FRAMEBUFFER,Rt))}if(e.bindFramebuffer(i.READ_FRAMEBUFFER,null),e.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),tt)for(let ft=0;ft<M.length;ft++){e.bindFramebuffer(i.FRAMEBUFFER,xt.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+ft,i.RENDERBUFFER,xt.__webglColorRenderbuffer[ft]);let O=n.get(M[ft]).__webglTexture;e.bindFramebuffer(i.FRAMEBUFFER,xt.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+ft,i.TEXTURE_2D,O,0)}e.bindFramebuffer(i.DRAW_FRAMEBUFFER,xt.__webglMultisampledFramebuffer)}else if(R.depthBuffer&&R.storeMultisampledDepthBuffer===!1&&l){let M=R.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;i.invalidateFramebuffer(i.DRAW_FRAMEBUFFER,[M])}}}function re(R){return Math.min(s.maxSamples,R.samples)}function bt(R){let M=n.get(R);return R.samples>0&&t.has("WEBGL_multisampled_render_to_texture")===!0&&M.__useRenderToTexture!==!1}function Ue(R){let M=o.render.frame;h.get(R)!==M&&(h.set(R,M),R.update())}function Vt(R,M){let X=R.colorSpace,ct=R.format,rt=R.type;return R.isCompressedTexture===!0||R.isVideoTexture===!0||X!==ha&&X!==Ms&&(ge.getTransfer(X)===Ee?(ct!==Bi||rt!==si)&&$t("WebGLTextures: sRGB encoded textures have to use RGBAFormat and UnsignedByteType."):Qt("WebGLTextures: Unsupported texture color space:",X)),M}function Yt(R){return typeof HTMLImageElement<"u"&&R instanceof HTMLImageElement?(c.width=R.naturalWidth||R.width,c.height=R.naturalHeight||R.height):typeof VideoFrame<"u"&&R instanceof VideoFrame?(c.width=R.displayWidth,c.height=R.displayHeight):(c.width=R.width,c.height=R.height),c}this.allocateTextureUnit=ht,this.resetTextureUnits=j,this.getTextureUnits=it,this.setTextureUnits=ut,this.setTexture2D=pt,this.setTexture2DArray=_t,this.setTexture3D=Et,this.setTextureCube=Mt,this.rebindTextures=Ze,this.setupRenderTarget=sn,this.updateRenderTargetMipmap=B,this.updateMultisampleRenderTarget=Zt,this.setupDepthRenderbuffer=fn,this.setupFrameBufferTexture=De,this.useMultisampledRTT=bt,this.dispose=W}function zb(i,t){function e(n,s=Ms){let r,o=ge.getTransfer(s);if(n===si)return i.UNSIGNED_BYTE;if(n===Uc)return i.UNSIGNED_SHORT_4_4_4_4;if(n===Fc)return i.UNSIGNED_SHORT_5_5_5_1;if(n===Md)return i.UNSIGNED_INT_5_9_9_9_REV;if(n===bd)return i.UNSIGNED_INT_10F_11F_11F_REV;if(n===vd)return i.BYTE;if(n===Sd)return i.SHORT;if(n===To)return i.UNSIGNED_SHORT;if(n===Nc)return i.INT;if(n===Fi)return i.UNSIGNED_INT;if(n===wi)return i.FLOAT;if(n===Oi)return i.HALF_FLOAT;if(n===wd)return i.ALPHA;if(n===Ad)return i.RGB;if(n===Bi)return i.RGBA;if(n===xs)return i.DEPTH_COMPONENT;if(n===Ss)return i.DEPTH_STENCIL;if(n===Oc)return i.RED;if(n===Bc)return i.RED_INTEGER;if(n===qs)return i.RG;if(n===kc)return i.RG_INTEGER;if(n===zc)return i.RGBA_INTEGER;if(n===ka||n===za||n===Va||n===Ga)if(o===Ee)if(r=t.get("WEBGL_compressed_texture_s3tc_srgb"),r!==null){if(n===ka)return r.COMPRESSED_SRGB_S3TC_DXT1_EXT;if(n===za)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT;if(n===Va)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT;if(n===Ga)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT}else return null;else if(r=t.get("WEBGL_compressed_texture_s3tc"),r!==null){if(n===ka)return r.COMPRESSED_RGB_S3TC_DXT1_EXT;if(n===za)return r.COMPRESSED_RGBA_S3TC_DXT1_EXT;if(n===Va)return r.COMPRESSED_RGBA_S3TC_DXT3_EXT;if(n===Ga)return r.COMPRESSED_RGBA_S3TC_DXT5_EXT}else return null;if(n===Vc||n===Gc||n===Hc||n===Wc)if(r=t.get("WEBGL_compressed_texture_pvrtc"),r!==null){if(n===Vc)return r.COMPRESSED_RGB_PVRTC_4BPPV1_IMG;if(n===Gc)return r.COMPRESSED_RGB_PVRTC_2BPPV1_IMG;if(n===Hc)return r.COMPRESSED_RGBA_PVRTC_4BPPV1_IMG;if(n===Wc)return r.COMPRESSED_RGBA_PVRTC_2BPPV1_IMG}else return null;if(n===Xc||n===qc||n===Yc||n===$c||n===Zc||n===Ha||n===Jc)if(r=t.get("WEBGL_compressed_texture_etc"),r!==null){if(n===Xc||n===qc)return o===Ee?r.COMPRESSED_SRGB8_ETC2:r.COMPRESSED_RGB8_ETC2;if(n===Yc)return o===Ee?r.COMPRESSED_SRGB8_ALPHA8_ETC2_EAC:r.COMPRESSED_RGBA8_ETC2_EAC;if(n===$c)return r.COMPRESSED_R11_EAC;if(n===Zc)return r.COMPRESSED_SIGNED_R11_EAC;if(n===Ha)return r.COMPRESSED_RG11_EAC;if(n===Jc)return r.COMPRESSED_SIGNED_RG11_EAC}else return null;if(n===Kc||n===jc||n===Qc||n===th||n===eh||n===nh||n===ih||n===sh||n===rh||n===oh||n===ah||n===lh||n===ch||n===hh)if(r=t.get("WEBGL_compressed_texture_astc"),r!==null){if(n===Kc)return o===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR:r.COMPRESSED_RGBA_ASTC_4x4_KHR;if(n===jc)return o===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x4_KHR:r.COMPRESSED_RGBA_ASTC_5x4_KHR;if(n===Qc)return o===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x5_KHR:r.COMPRESSED_RGBA_ASTC_5x5_KHR;if(n===th)return o===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x5_KHR:r.COMPRESSED_RGBA_ASTC_6x5_KHR;if(n===eh)return o===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x6_KHR:r.COMPRESSED_RGBA_ASTC_6x6_KHR;if(n===nh)return o===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x5_KHR:r.COMPRESSED_RGBA_ASTC_8x5_KHR;if(n===ih)return o===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x6_KHR:r.COMPRESSED_RGBA_ASTC_8x6_KHR;if(n===sh)return o===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x8_KHR:r.COMPRESSED_RGBA_ASTC_8x8_KHR;if(n===rh)return o===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x5_KHR:r.COMPRESSED_RGBA_ASTC_10x5_KHR;if(n===oh)return o===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x6_KHR:r.COMPRESSED_RGBA_ASTC_10x6_KHR;if(n===ah)return o===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x8_KHR:r.COMPRESSED_RGBA_ASTC_10x8_KHR;if(n===lh)return o===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x10_KHR:r.COMPRESSED_RGBA_ASTC_10x10_KHR;if(n===ch)return o===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x10_KHR:r.COMPRESSED_RGBA_ASTC_12x10_KHR;if(n===hh)return o===Ee?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR:r.COMPRESSED_RGBA_ASTC_12x12_KHR}else return null;if(n===uh||n===dh||n===fh)if(r=t.get("EXT_texture_compression_bptc"),r!==null){if(n===uh)return o===Ee?r.COMPRESSED_SRGB_ALPHA_BPTC_UNORM_EXT:r.COMPRESSED_RGBA_BPTC_UNORM_EXT;if(n===dh)return r.COMPRESSED_RGB_BPTC_SIGNED_FLOAT_EXT;if(n===fh)return r.COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT_EXT}else return null;if(n===ph||n===mh||n===Wa||n===gh)if(r=t.get("EXT_texture_compression_rgtc"),r!==null){if(n===ph)return r.COMPRESSED_RED_RGTC1_EXT;if(n===mh)return r.COMPRESSED_SIGNED_RED_RGTC1_EXT;if(n===Wa)return r.COMPRESSED_RED_GREEN_RGTC2_EXT;if(n===gh)return r.COMPRESSED_SIGNED_RED_GREEN_RGTC2_EXT}else return null;return n===Sr?i.UNSIGNED_INT_24_8:i[n]!==void 0?i[n]:null}return{convert:e}}var Vb=`
void main() {

	gl_Position = vec4( position, 1.0 );

}`,Gb=`
uniform sampler2DArray depthColor;
uniform float depthWidth;
uniform float depthHeight;

void main() {

	vec2 coord = vec2( gl_FragCoord.x / depthWidth, gl_FragCoord.y / depthHeight );

	if ( coord.x >= 1.0 ) {

		gl_FragDepth = texture( depthColor, vec3( coord.x - 1.0, coord.y, 1 ) ).r;

	} else {

		gl_FragDepth = texture( depthColor, vec3( coord.x, coord.y, 0 ) ).r;

	}

}`,Jd=class{constructor(){this.texture=null,this.mesh=null,this.depthNear=0,this.depthFar=0}init(t,e){if(this.texture===null){let n=new Ma(t.texture);(t.depthNear!==e.depthNear||t.depthFar!==e.depthFar)&&(this.depthNear=t.depthNear,this.depthFar=t.depthFar),this.texture=n}}getMesh(t){if(this.texture!==null&&this.mesh===null){let e=t.cameras[0].viewport,n=new bi({vertexShader:Vb,fragmentShader:Gb,uniforms:{depthColor:{value:this.texture},depthWidth:{value:e.z},depthHeight:{value:e.w}}});this.mesh=new Gn(new pr(20,20),n)}return this.mesh}reset(){this.texture=null,this.mesh=null}getDepthTexture(){return this.texture}},Kd=class extends Ki{constructor(t,e){super();let n=this,s=null,r=1,o=null,a="local-floor",l=1,c=null,h=null,u=null,d=null,f=null,g=null,v=typeof XRWebGLBinding<"u",p=new Jd,m={},y=e.getContextAttributes(),T=null,S=null,C=[],E=[],_=new Gt,w=null,F=null,I=new Vn;I.viewport=new Ce;let L=new Vn;L.viewport=new Ce;let z=[I,L],H=new Rc,N=null,W=null;this.cameraAutoUpdate=!0,this.enabled=!1,this.isPresenting=!1,this.getController=function(Q){let pt=C[Q];return pt===void 0&&(pt=new po,C[Q]=pt),pt.getTargetRaySpace()},this.getControllerGrip=function(Q){let pt=C[Q];return pt===void 0&&(pt=new po,C[Q]=pt),pt.getGripSpace()},this.getHand=function(Q){let pt=C[Q];return pt===void 0&&(pt=new po,C[Q]=pt),pt.getHandSpace()};function Y(Q){let pt=E.indexOf(Q.inputSource);if(pt===-1)return;let _t=C[pt];_t!==void 0&&(_t.update(Q.inputSource,Q.frame,c||o),_t.dispatchEvent({type:Q.type,data:Q.inputSource}))}function G(){s.removeEventListener("select",Y),s.removeEventListener("selectstart",Y),s.removeEventListener("selectend",Y),s.removeEventListener("squeeze",Y),s.removeEventListener("squeezestart",Y),s.removeEventListener("squeezeend",Y),s.removeEventListener("end",G),s.removeEventListener("inputsourceschange",lt);for(let Q=0;Q<C.length;Q++){let pt=E[Q];pt!==null&&(E[Q]=null,C[Q].disconnect(pt))}N=null,W=null,p.reset();for(let Q in m)delete m[Q];if(t.setRenderTarget(T),f=null,d=null,u=null,s=null,S=null,ht.stop(),n.isPresenting=!1,t.setPixelRatio(w),t.setSize(_.width,_.height,!1),F!==null){let Q=F.camera;Q.fov=F.fov,Q.zoom=F.zoom,Q.updateProjectionMatrix(),F=null}n.dispatchEvent({type:"sessionend"})}this.setFramebufferScaleFactor=function(Q){r=Q,n.isPresenting===!0&&$t("WebXRManager: Cannot change framebuffer scale while presenting.")},this.setReferenceSpaceType=function(Q){a=Q,n.isPresenting===!0&&$t("WebXRManager: Cannot change reference space type while presenting.")},this.getReferenceSpace=function(){return c||o},this.setReferenceSpace=function(Q){c=Q},this.getBaseLayer=function(){return d!==null?d:f},this.getBinding=function(){return u===null&&v&&(u=new XRWebGLBinding(s,e)),u},this.getFrame=function(){return g},this.getSession=function(){return s},this.setSession=async function(Q){if(s=Q,s!==null){if(T=t.getRenderTarget(),s.addEventListener("select",Y),s.addEventListener("selectstart",Y),s.addEventListener("selectend",Y),s.addEventListener("squeeze",Y),s.addEventListener("squeezestart",Y),s.addEventListener("squeezeend",Y),s.addEventListener("end",G),s.addEventListener("inputsourceschange",lt),y.xrCompatible!==!0&&await e.makeXRCompatible(),w=t.getPixelRatio(),t.getSize(_),v&&"createProjectionLayer"in XRWebGLBinding.prototype){let _t=null,Et=null,Mt=null;y.depth&&(Mt=y.stencil?e.DEPTH24_STENCIL8:e.DEPTH_COMPONENT24,_t=y.stencil?Ss:xs,Et=y.stencil?Sr:Fi);let Xt={colorFormat:e.RGBA8,depthFormat:Mt,scaleFactor:r};u=this.getBinding(),d=u.createProjectionLayer(Xt),s.updateRenderState({layers:[d]}),t.setPixelRatio(1),t.setSize(d.textureWidth,d.textureHeight,!1),S=new ui(d.textureWidth,d.textureHeight,{format:Bi,type:si,depthTexture:new ys(d.textureWidth,d.textureHeight,Et,void 0,void 0,void 0,void 0,void 0,void 0,_t),stencilBuffer:y.stencil,colorSpace:t.outputColorSpace,samples:y.antialias?4:0,resolveDepthBuffer:d.ignoreDepthValues===!1,resolveStencilBuffer:d.ignoreDepthValues===!1,storeMultisampledDepthBuffer:d.ignoreDepthValues===!1,storeMultisampledStencilBuffer:d.ignoreDepthValues===!1})}else{let _t={antialias:y.antialias,alpha:!0,depth:y.depth,stencil:y.stencil,framebufferScaleFactor:r};f=new XRWebGLLayer(s,e,_t),s.updateRenderState({baseLayer:f}),t.setPixelRatio(1),t.setSize(f.framebufferWidth,f.framebufferHeight,!1),S=new ui(f.framebufferWidth,f.framebufferHeight,{format:Bi,type:si,colorSpace:t.outputColorSpace,stencilBuffer:y.stencil,resolveDepthBuffer:f.ignoreDepthValues===!1,resolveStencilBuffer:f.ignoreDepthValues===!1,storeMultisampledDepthBuffer:f.ignoreDepthValues===!1,storeMultisampledStencilBuffer:f.ignoreDepthValues===!1})}S.isXRRenderTarget=!0,this.setFoveation(l),c=null,o=await s.requestReferenceSpace(a),ht.setContext(s),ht.start(),n.isPresenting=!0,n.dispatchEvent({type:"sessionstart"})}},this.getEnvironmentBlendMode=function(){if(s!==null)return s.environmentBlendMode},this.getDepthTexture=function(){return p.getDepthTexture()};function lt(Q){for(let pt=0;pt<Q.removed.length;pt++){let _t=Q.removed[pt],Et=E.indexOf(_t);Et>=0&&(E[Et]=null,C[Et].disconnect(_t))}for(let pt=0;pt<Q.added.length;pt++){let _t=Q.added[pt],Et=E.indexOf(_t);if(Et===-1){for(let Xt=0;Xt<C.length;Xt++)if(Xt>=E.length){E.push(_t),Et=Xt;break}else if(E[Xt]===null){E[Xt]=_t,Et=Xt;break}if(Et===-1)break}let Mt=C[Et];Mt&&Mt.connect(_t)}}function J(Q,pt){pt===null?Q.matrixWorld.copy(Q.matrix):Q.matrixWorld.multiplyMatrices(pt.matrixWorld,Q.matrix),Q.matrixWorldInverse.copy(Q.matrixWorld).invert()}this.updateCamera=function(Q){if(s===null)return;let pt=Q.near,_t=Q.far;p.texture!==null&&(p.depthNear>0&&(pt=p.depthNear),p.depthFar>0&&(_t=p.depthFar)),H.near=L.near=I.near=pt,H.far=L.far=I.far=_t,(N!==H.near||W!==H.far)&&(s.updateRenderState({depthNear:H.near,depthFar:H.far}),N=H.near,W=H.far),H.layers.mask=Q.layers.mask|6,I.layers.mask=H.layers.mask&-5,L.layers.mask=H.layers.mask&-3;let Et=Q.parent,Mt=H.cameras;J(H,Et);for(let Xt=0;Xt<Mt.length;Xt++)J(Mt[Xt],Et);H.projectionMatrix.copy(I.projectionMatrix),H.projectionMatrixInverse.copy(I.projectionMatrixInverse),F===null&&Q.isPerspectiveCamera&&(F={camera:Q,fov:Q.fov,zoom:Q.zoom}),j(Q,H,Et)};function j(Q,pt,_t){_t===null?Q.matrix.copy(pt.matrixWorld):(Q.matrix.copy(_t.matrixWorld),Q.matrix.invert(),Q.matrix.multiply(pt.matrixWorld)),Q.matrix.decompose(Q.position,Q.quaternion,Q.scale),Q.updateMatrixWorld(!0),Q.projectionMatrix.copy(pt.projectionMatrix),Q.projectionMatrixInverse.copy(pt.projectionMatrixInverse),Q.isPerspectiveCamera&&(Q.fov=ho*2*Math.atan(1/Q.projectionMatrix.elements[5]),Q.zoom=1)}this.getCamera=function(){return H},this.getFoveation=function(){if(!(d===null&&f===null))return l},this.setFoveation=function(Q){l=Q,d!==null&&(d.fixedFoveation=Q),f!==null&&f.fixedFoveation!==void 0&&(f.fixedFoveation=Q)},this.hasDepthSensing=function(){return p.texture!==null},this.getDepthSensingMesh=function(){return p.getMesh(H)},this.getCameraTexture=function(Q){return m[Q]};let it=null;function ut(Q,pt){if(h=pt.getViewerPose(c||o),g=pt,h!==null){let _t=h.views;f!==null&&(t.setRenderTargetFramebuffer(S,f.framebuffer),t.setRenderTarget(S));let Et=!1;_t.length!==H.cameras.length&&(H.cameras.length=0,Et=!0);for(let Ht=0;Ht<_t.length;Ht++){let ue=_t[Ht],le=null;if(f!==null)le=f.getViewport(ue);else{let qe=u.getViewSubImage(d,ue);le=qe.viewport,Ht===0&&(t.setRenderTargetTextures(S,qe.colorTexture,qe.depthStencilTexture),t.setRenderTarget(S))}let ne=z[Ht];ne===void 0&&(ne=new Vn,ne.layers.enable(Ht),ne.viewport=new Ce,z[Ht]=ne),ne.matrix.fromArray(ue.transform.matrix),ne.matrix.decompose(ne.position,ne.quaternion,ne.scale),ne.projectionMatrix.fromArray(ue.projectionMatrix),ne.projectionMatrixInverse.copy(ne.projectionMatrix).invert(),ne.viewport.set(le.x,le.y,le.width,le.height),Ht===0&&(H.matrix.copy(ne.matrix),H.matrix.decompose(H.position,H.quaternion,H.scale)),Et===!0&&H.cameras.push(ne)}let Mt=s.enabledFeatures;if(Mt&&Mt.includes("depth-sensing")&&s.depthUsage=="gpu-optimized"&&v){u=n.getBinding();let Ht=u.getDepthInformation(_t[0]);Ht&&Ht.isValid&&Ht.texture&&p.init(Ht,s.renderState)}if(Mt&&Mt.includes("camera-access")&&v){t.state.unbindTexture(),u=n.getBinding();for(let Ht=0;Ht<_t.length;Ht++){let ue=_t[Ht].camera;if(ue){let le=m[ue];le||(le=new Ma,m[ue]=le);let ne=u.getCameraImage(ue);le.sourceTexture=ne}}}}for(let _t=0;_t<C.length;_t++){let Et=E[_t],Mt=C[_t];Et!==null&&Mt!==void 0&&Mt.update(Et,pt,c||o)}it&&it(Q,pt),pt.detectedPlanes&&n.dispatchEvent({type:"planesdetected",data:pt}),g=null}let ht=new fg;ht.setAnimationLoop(ut),this.setAnimationLoop=function(Q){it=Q},this.dispose=function(){}}},Hb=new ve,bg=new ee;bg.set(-1,0,0,0,1,0,0,0,1);function Wb(i,t){function e(p,m){p.matrixAutoUpdate===!0&&p.updateMatrix(),m.value.copy(p.matrix)}function n(p,m){m.color.getRGB(p.fogColor.value,Bd(i)),m.isFog?(p.fogNear.value=m.near,p.fogFar.value=m.far):m.isFogExp2&&(p.fogDensity.value=m.density)}function s(p,m,y,T,S){m.isNodeMaterial?m.uniformsNeedUpdate=!1:m.isMeshBasicMaterial?r(p,m):m.isMeshLambertMaterial?(r(p,m),m.envMap&&(p.envMapIntensity.value=m.envMapIntensity)):m.isMeshToonMaterial?(r(p,m),u(p,m)):m.isMeshPhongMaterial?(r(p,m),h(p,m),m.envMap&&(p.envMapIntensity.value=m.envMapIntensity)):m.isMeshStandardMaterial?(r(p,m),d(p,m),m.isMeshPhysicalMaterial&&f(p,m,S)):m.isMeshMatcapMaterial?(r(p,m),g(p,m)):m.isMeshDepthMaterial?r(p,m):m.isMeshDistanceMaterial?(r(p,m),v(p,m)):m.isMeshNormalMaterial?r(p,m):m.isLineBasicMaterial?(o(p,m),m.isLineDashedMaterial&&a(p,m)):m.isPointsMaterial?l(p,m,y,T):m.isSpriteMaterial?c(p,m):m.isShadowMaterial?(p.color.value.copy(m.color),p.opacity.value=m.opacity):m.isShaderMaterial&&(m.uniformsNeedUpdate=!1)}function r(p,m){p.opacity.value=m.opacity,m.color&&p.diffuse.value.copy(m.color),m.emissive&&p.emissive.value.copy(m.emissive).multiplyScalar(m.emissiveIntensity),m.map&&(p.map.value=m.map,e(m.map,p.mapTransform)),m.alphaMap&&(p.alphaMap.value=m.alphaMap,e(m.alphaMap,p.alphaMapTransform)),m.bumpMap&&(p.bumpMap.value=m.bumpMap,e(m.bumpMap,p.bumpMapTransform),p.bumpScale.value=m.bumpScale,m.side===Qn&&(p.bumpScale.value*=-1)),m.normalMap&&(p.normalMap.value=m.normalMap,e(m.normalMap,p.normalMapTransform),p.normalScale.value.copy(m.normalScale),m.side===Qn&&p.normalScale.value.negate()),m.displacementMap&&(p.displacementMap.value=m.displacementMap,e(m.displacementMap,p.displacementMapTransform),p.displacementScale.value=m.displacementScale,p.displacementBias.value=m.displacementBias),m.emissiveMap&&(p.emissiveMap.value=m.emissiveMap,e(m.emissiveMap,p.emissiveMapTransform)),m.specularMap&&(p.specularMap.value=m.specularMap,e(m.specularMap,p.specularMapTransform)),m.alphaTest>0&&(p.alphaTest.value=m.alphaTest);let y=t.get(m),T=y.envMap,S=y.envMapRotation;T&&(p.envMap.value=T,p.envMapRotation.value.setFromMatrix4(Hb.makeRotationFromEuler(S)).transpose(),T.isCubeTexture&&T.isRenderTargetTexture===!1&&p.envMapRotation.value.premultiply(bg),p.reflectivity.value=m.reflectivity,p.ior.value=m.ior,p.refractionRatio.value=m.refractionRatio),m.lightMap&&(p.lightMap.value=m.lightMap,p.lightMapIntensity.value=m.lightMapIntensity,e(m.lightMap,p.lightMapTransform)),m.aoMap&&(p.aoMap.value=m.aoMap,p.aoMapIntensity.value=m.aoMapIntensity,e(m.aoMap,p.aoMapTransform))}function o(p,m){p.diffuse.value.copy(m.color),p.opacity.value=m.opacity,m.map&&(p.map.value=m.map,e(m.map,p.mapTransform))}function a(p,m){p.dashSize.value=m.dashSize,p.totalSize.value=m.dashSize+m.gapSize,p.scale.value=m.scale}function l(p,m,y,T){p.diffuse.value.copy(m.color),p.opacity.value=m.opacity,p.size.value=m.size*y,p.scale.value=T*.5,m.map&&(p.map.value=m.map,e(m.map,p.uvTransform)),m.alphaMap&&(p.alphaMap.value=m.alphaMap,e(m.alphaMap,p.alphaMapTransform)),m.alphaTest>0&&(p.alphaTest.value=m.alphaTest)}function c(p,m){p.diffuse.value.copy(m.color),p.opacity.value=m.opacity,p.rotation.value=m.rotation,m.map&&(p.map.value=m.map,e(m.map,p.mapTransform)),m.alphaMap&&(p.alphaMap.value=m.alphaMap,e(m.alphaMap,p.alphaMapTransform)),m.alphaTest>0&&(p.alphaTest.value=m.alphaTest)}function h(p,m){p.specular.value.copy(m.specular),p.shininess.value=Math.max(m.shininess,1e-4)}function u(p,m){m.gradientMap&&(p.gradientMap.value=m.gradientMap)}function d(p,m){p.metalness.value=m.metalness,m.metalnessMap&&(p.metalnessMap.value=m.metalnessMap,e(m.metalnessMap,p.metalnessMapTransform)),p.roughness.value=m.roughness,m.roughnessMap&&(p.roughnessMap.value=m.roughnessMap,e(m.roughnessMap,p.roughnessMapTransform)),m.envMap&&(p.envMapIntensity.value=m.envMapIntensity)}function f(p,m,y){p.ior.value=m.ior,m.diffuseRoughness>0&&(p.diffuseRoughness.value=m.diffuseRoughness,m.diffuseRoughnessMap&&(p.diffuseRoughnessMap.value=m.diffuseRoughnessMap,e(m.diffuseRoughnessMap,p.diffuseRoughnessMapTransform))),m.sheen>0&&(p.sheenColor.value.copy(m.sheenColor).multiplyScalar(m.sheen),p.sheenRoughness.value=m.sheenRoughness,m.sheenColorMap&&(p.sheenColorMap.value=m.sheenColorMap,e(m.sheenColorMap,p.sheenColorMapTransform)),m.sheenRoughnessMap&&(p.sheenRoughnessMap.value=m.sheenRoughnessMap,e(m.sheenRoughnessMap,p.sheenRoughnessMapTransform))),m.clearcoat>0&&(p.clearcoat.value=m.clearcoat,p.clearcoatRoughness.value=m.clearcoatRoughness,m.clearcoatMap&&(p.clearcoatMap.value=m.clearcoatMap,e(m.clearcoatMap,p.clearcoatMapTransform)),m.clearcoatRoughnessMap&&(p.clearcoatRoughnessMap.value=m.clearcoatRoughnessMap,e(m.clearcoatRoughnessMap,p.clearcoatRoughnessMapTransform)),m.clearcoatNormalMap&&(p.clearcoatNormalMap.value=m.clearcoatNormalMap,e(m.clearcoatNormalMap,p.clearcoatNormalMapTransform),p.clearcoatNormalScale.value.copy(m.clearcoatNormalScale),m.side===Qn&&p.clearcoatNormalScale.value.negate())),m.dispersion>0&&(p.dispersion.value=m.dispersion),m.retroreflectivity>0&&(p.retroreflectivity.value=m.retroreflectivity),m.iridescence>0&&(p.iridescence.value=m.iridescence,p.iridescenceIOR.value=m.iridescenceIOR,p.iridescenceThicknessMinimum.value=m.iridescenceThicknessMinimum,p.iridescenceThicknessMaximum.value=m.iridescenceThicknessMaximum,m.iridescenceMap&&(p.iridescenceMap.value=m.iridescenceMap,e(m.iridescenceMap,p.iridescenceMapTransform)),m.iridescenceThicknessMap&&(p.iridescenceThicknessMap.value=m.iridescenceThicknessMap,e(m.iridescenceThicknessMap,p.iridescenceThicknessMapTransform))),m.transmission>0&&(p.transmission.value=m.transmission,p.transmissionSamplerMap.value=y.texture,p.transmissionSamplerSize.value.set(y.width,y.height),m.transmissionMap&&(p.transmissionMap.value=m.transmissionMap,e(m.transmissionMap,p.transmissionMapTransform)),p.thickness.value=m.thickness,m.thicknessMap&&(p.thicknessMap.value=m.thicknessMap,e(m.thicknessMap,p.thicknessMapTransform)),p.attenuationDistance.value=m.attenuationDistance,p.attenuationColor.value.copy(m.attenuationColor)),m.anisotropy>0&&(p.anisotropyVector.value.set(m.anisotropy*Math.cos(m.anisotropyRotation),m.anisotropy*Math.sin(m.anisotropyRotation)),m.anisotropyMap&&(p.anisotropyMap.value=m.anisotropyMap,e(m.anisotropyMap,p.anisotropyMapTransform))),p.specularIntensity.value=m.specularIntensity,p.specularColor.value.copy(m.specularColor),m.specularColorMap&&(p.specularColorMap.value=m.specularColorMap,e(m.specularColorMap,p.specularColorMapTransform)),m.specularIntensityMap&&(p.specularIntensityMap.value=m.specularIntensityMap,e(m.specularIntensityMap,p.specularIntensityMapTransform))}function g(p,m){m.matcap&&(p.matcap.value=m.matcap)}function v(p,m){let y=t.get(m).light;p.referencePosition.value.setFromMatrixPosition(y.matrixWorld),p.nearDistance.value=y.shadow.camera.near,p.farDistance.value=y.shadow.camera.far}return{refreshFogUniforms:n,refreshMaterialUniforms:s}}function Xb(i,t,e,n){let s={},r={};function o(y,T){let S=T.program;n.uniformBlockBinding(y,S,s[y.id])}function a(y,T){let S=s[y.id];S===void 0&&(g(y),S=l(y),s[y.id]=S,y.addEventListener("dispose",p));let C=T.program;n.updateUBOMapping(y,C);let E=t.render.frame;r[y.id]!==E&&(c(y),r[y.id]=E)}function l(y){let T=i.createBuffer(),S=y.__size,C=y.usage;return i.bindBuffer(i.UNIFORM_BUFFER,T),i.bufferData(i.UNIFORM_BUFFER,S,C),i.bindBuffer(i.UNIFORM_BUFFER,null),T}function c(y){let T=s[y.id],S=y.uniforms,C=y.__cache;i.bindBuffer(i.UNIFORM_BUFFER,T);for(let E=0,_=S.length;E<_;E++){let w=S[E];if(Array.isArray(w))for(let F=0,I=w.length;F<I;F++)h(w[F],E,F,C);else h(w,E,0,C)}i.bindBuffer(i.UNIFORM_BUFFER,null)}function h(y,T,S,C){if(d(y,T,S,C)===!0){let E=y.__offset,_=y.value;if(Array.isArray(_)){let w=0;for(let F=0;F<_.length;F++){let I=_[F],L=v(I,!0);u(I,y.__data,w),w+=L.storage/Float32Array.BYTES_PER_ELEMENT}}else u(_,y.__data,0);i.bufferSubData(i.UNIFORM_BUFFER,E,y.__data)}}function u(y,T,S){typeof y=="number"||typeof y=="boolean"?T[S]=y:y.isMatrix3?(T[S]=y.elements[0],T[S+1]=y.elements[1],T[S+2]=y.elements[2],T[S+3]=0,T[S+4]=y.elements[3],T[S+5]=y.elements[4],T[S+6]=y.elements[5],T[S+7]=0,T[S+8]=y.elements[6],T[S+9]=y.elements[7],T[S+10]=y.elements[8],T[S+11]=0):ArrayBuffer.isView(y)?T.set(y.subarray(0,T.length-S),S):y.toArray(T,S)}function d(y,T,S,C){let E=y.value,_=T+"_"+S;if(Array.isArray(E)){C[_]===void 0&&(C[_]=[]);let w=C[_],F=!1;for(let I=0;I<E.length;I++)f(E[I],w,I)===!0&&(F=!0);return F}return f(E,C,_)}function f(y,T,S){if(T[S]===void 0)return typeof y=="number"||typeof y=="boolean"?T[S]=y:ArrayBuffer.isView(y)?T[S]=y.slice():T[S]=y.clone(),!0;{let C=T[S];if(typeof y=="number"||typeof y=="boolean"){if(C!==y)return T[S]=y,!0}else{if(ArrayBuffer.isView(y))return!0;if(C.equals(y)===!1)return C.copy(y),!0}}return!1}function g(y){let T=y.uniforms,S=0,C=16;for(let _=0,w=T.length;_<w;_++){let F=Array.isArray(T[_])?T[_]:[T[_]];for(let I=0,L=F.length;I<L;I++){let z=F[I],H=Array.isArray(z.value)?z.value:[z.value],N=Array.isArray(T[_])||Array.isArray(z.value),W=S;for(let G=0,lt=H.length;G<lt;G++){let J=H[G],j=v(J,N),it=S%C,ut=it%j.boundary,ht=it+ut;S+=ut,ht!==0&&C-ht<j.storage&&(S+=C-ht),G===0&&(W=S),S+=j.storage}let Y=z.type==="int"?Int32Array:z.type==="uint"?Uint32Array:Float32Array;z.__data=new Y((S-W)/Float32Array.BYTES_PER_ELEMENT),z.__offset=W}}let E=S%C;return E>0&&(S+=C-E),y.__size=S,y.__cache={},this}function v(y,T){let S={boundary:0,storage:0};return typeof y=="number"||typeof y=="boolean"?(S.boundary=4,S.storage=4):y.isVector2?(S.boundary=8,S.storage=8):y.isVector3||y.isColor?(S.boundary=16,S.storage=12):y.isVector4?(S.boundary=16,S.storage=16):y.isMatrix3?(S.boundary=16,S.storage=48):y.isMatrix4?(S.boundary=16,S.storage=64):y.isTexture?$t("WebGLRenderer: Texture samplers can not be part of an uniforms group."):ArrayBuffer.isView(y)?(S.boundary=16,S.storage=y.byteLength):$t("WebGLRenderer: Unsupported uniform value type.",y),T===!0&&(S.boundary=16,S.storage=Math.ceil(S.storage/16)*16),S}function p(y){let T=y.target;T.removeEventListener("dispose",p),i.deleteBuffer(s[T.id]),delete s[T.id],delete r[T.id]}function m(){for(let y in s)i.deleteBuffer(s[y]);s={},r={}}return{bind:o,update:a,dispose:m}}var qb=new Uint16Array([12469,15057,12620,14925,13266,14620,13807,14376,14323,13990,14545,13625,14713,13328,14840,12882,14931,12528,14996,12233,15039,11829,15066,11525,15080,11295,15085,10976,15082,10705,15073,10495,13880,14564,13898,14542,13977,14430,14158,14124,14393,13732,14556,13410,14702,12996,14814,12596,14891,12291,14937,11834,14957,11489,14958,11194,14943,10803,14921,10506,14893,10278,14858,9960,14484,14039,14487,14025,14499,13941,14524,13740,14574,13468,14654,13106,14743,12678,14818,12344,14867,11893,14889,11509,14893,11180,14881,10751,14852,10428,14812,10128,14765,9754,14712,9466,14764,13480,14764,13475,14766,13440,14766,13347,14769,13070,14786,12713,14816,12387,14844,11957,14860,11549,14868,11215,14855,10751,14825,10403,14782,10044,14729,9651,14666,9352,14599,9029,14967,12835,14966,12831,14963,12804,14954,12723,14936,12564,14917,12347,14900,11958,14886,11569,14878,11247,14859,10765,14828,10401,14784,10011,14727,9600,14660,9289,14586,8893,14508,8533,15111,12234,15110,12234,15104,12216,15092,12156,15067,12010,15028,11776,14981,11500,14942,11205,14902,10752,14861,10393,14812,9991,14752,9570,14682,9252,14603,8808,14519,8445,14431,8145,15209,11449,15208,11451,15202,11451,15190,11438,15163,11384,15117,11274,15055,10979,14994,10648,14932,10343,14871,9936,14803,9532,14729,9218,14645,8742,14556,8381,14461,8020,14365,7603,15273,10603,15272,10607,15267,10619,15256,10631,15231,10614,15182,10535,15118,10389,15042,10167,14963,9787,14883,9447,14800,9115,14710,8665,14615,8318,14514,7911,14411,7507,14279,7198,15314,9675,15313,9683,15309,9712,15298,9759,15277,9797,15229,9773,15166,9668,15084,9487,14995,9274,14898,8910,14800,8539,14697,8234,14590,7790,14479,7409,14367,7067,14178,6621,15337,8619,15337,8631,15333,8677,15325,8769,15305,8871,15264,8940,15202,8909,15119,8775,15022,8565,14916,8328,14804,8009,14688,7614,14569,7287,14448,6888,14321,6483,14088,6171,15350,7402,15350,7419,15347,7480,15340,7613,15322,7804,15287,7973,15229,8057,15148,8012,15046,7846,14933,7611,14810,7357,14682,7069,14552,6656,14421,6316,14251,5948,14007,5528,15356,5942,15356,5977,15353,6119,15348,6294,15332,6551,15302,6824,15249,7044,15171,7122,15070,7050,14949,6861,14818,6611,14679,6349,14538,6067,14398,5651,14189,5311,13935,4958,15359,4123,15359,4153,15356,4296,15353,4646,15338,5160,15311,5508,15263,5829,15188,6042,15088,6094,14966,6001,14826,5796,14678,5543,14527,5287,14377,4985,14133,4586,13869,4257,15360,1563,15360,1642,15358,2076,15354,2636,15341,3350,15317,4019,15273,4429,15203,4732,15105,4911,14981,4932,14836,4818,14679,4621,14517,4386,14359,4156,14083,3795,13808,3437,15360,122,15360,137,15358,285,15355,636,15344,1274,15322,2177,15281,2765,15215,3223,15120,3451,14995,3569,14846,3567,14681,3466,14511,3305,14344,3121,14037,2800,13753,2467,15360,0,15360,1,15359,21,15355,89,15346,253,15325,479,15287,796,15225,1148,15133,1492,15008,1749,14856,1882,14685,1886,14506,1783,14324,1608,13996,1398,13702,1183]),es=null;function Yb(){return es===null&&(es=new xa(qb,16,16,qs,Oi),es.name="DFG_LUT",es.minFilter=Kn,es.magFilter=Kn,es.wrapS=Ji,es.wrapT=Ji,es.generateMipmaps=!1,es.needsUpdate=!0),es}var Sh=class{constructor(t={}){let{canvas:e=km(),context:n=null,depth:s=!0,stencil:r=!1,alpha:o=!1,antialias:a=!1,premultipliedAlpha:l=!0,preserveDrawingBuffer:c=!1,powerPreference:h="default",failIfMajorPerformanceCaveat:u=!1,reversedDepthBuffer:d=!1,outputBufferType:f=si}=t;this.isWebGLRenderer=!0;let g;if(n!==null){if(typeof WebGLRenderingContext<"u"&&n instanceof WebGLRenderingContext)throw new Error("THREE.WebGLRenderer: WebGL 1 is not supported since r163.");g=n.getContextAttributes().alpha}else g=o;let v=f,p=new Set([zc,kc,Bc]),m=new Set([si,Fi,To,Sr,Uc,Fc]),y=new Uint32Array(4),T=new Int32Array(4),S={textures:[],min:[],max:[],resolution:[]},C=null,E=null,_=[],w=[],F=null;this.domElement=e,this.debug={checkShaderErrors:!0,diagnostics:{keywords:!1},onShaderError:null},this.autoClear=!0,this.autoClearColor=!0,this.autoClearDepth=!0,this.autoClearStencil=!0,this.sortObjects=!0,this.clippingPlanes=[],this.localClippingEnabled=!1,this.toneMapping=ts,this.toneMappingExposure=1,this.transmissionResolutionScale=1;let I=this,L=!1,z=null,H=null,N=null,W=null;this._outputColorSpace=Jn;let Y=0,G=0,lt=null,J=-1,j=null,it=new Ce,ut=new Ce,ht=null,Q=new zt(0),pt=0,_t=e.width,Et=e.height,Mt=1,Xt=null,se=null,Ht=new Ce(0,0,_t,Et),ue=new Ce(0,0,_t,Et),le=!1,ne=new ks,qe=new ic,Be=!1,nn=!1,De=new ve,Sn=new U,ye=new Ce,fn={background:null,fog:null,environment:null,overrideMaterial:null,isScene:!0},Ze=!1;function sn(){return lt===null?Mt:1}let B=n;function Rt(A,k){return e.getContext(A,k)}let Zt,re,bt,Ue,Vt,Yt,R,M,X,ct,rt,gt,xt,tt,nt,ft,O,st,et,wt,mt,St,Wt;try{let A={alpha:!0,depth:s,stencil:r,antialias:a,premultipliedAlpha:l,preserveDrawingBuffer:c,powerPreference:h,failIfMajorPerformanceCaveat:u};if("setAttribute"in e&&e.setAttribute("data-engine",`three.js r${"187"}`),e.addEventListener("webglcontextlost",Ot,!1),e.addEventListener("webglcontextrestored",jt,!1),e.addEventListener("webglcontextcreationerror",Ct,!1),B===null){let k="webgl2";if(B=Rt(k,A),B===null)throw Rt(k)?new Error("THREE.WebGLRenderer: Error creating WebGL context with your selected attributes."):new Error("THREE.WebGLRenderer: Error creating WebGL context.")}Kt()}catch(A){throw e.removeEventListener("webglcontextlost",Ot,!1),e.removeEventListener("webglcontextrestored",jt,!1),e.removeEventListener("webglcontextcreationerror",Ct,!1),Qt("WebGLRenderer: "+A.message),A}function Kt(){Zt=new sM(B),Zt.init(),mt=new zb(B,Zt),re=new YS(B,Zt,t,mt),bt=new Bb(B,Zt),re.reversedDepthBuffer&&d&&bt.buffers.depth.setReversed(!0),H=B.createFramebuffer(),N=B.createFramebuffer(),W=B.createFramebuffer(),Ue=new aM(B),Vt=new wb,Yt=new kb(B,Zt,bt,Vt,re,mt,Ue),R=new iM(I),M=new cy(B),St=new XS(B,M),X=new rM(B,M,Ue,St),ct=new cM(B,X,M,St,Ue),st=new lM(B,re,Yt),nt=new $S(Vt),rt=new bb(I,R,Zt,re,St,nt),gt=new Wb(I,Vt),xt=new Tb,tt=new Lb(Zt),O=new WS(I,R,bt,ct,g,l),ft=new Ob(I,ct,re),Wt=new Xb(B,Ue,re,bt),et=new qS(B,Zt,Ue),wt=new oM(B,Zt,Ue),Ue.programs=rt.programs,I.capabilities=re,I.extensions=Zt,I.properties=Vt,I.renderLists=xt,I.shadowMap=ft,I.state=bt,I.info=Ue}v!==si&&(F=new uM(v,e.width,e.height,a,s,r));let at=new Kd(I,B);this.xr=at,this.getContext=function(){return B},this.getContextAttributes=function(){return B.getContextAttributes()},this.forceContextLoss=function(){let A=Zt.get("WEBGL_lose_context");A&&A.loseContext()},this.forceContextRestore=function(){let A=Zt.get("WEBGL_lose_context");A&&A.restoreContext()},this.getPixelRatio=function(){return Mt},this.setPixelRatio=function(A){A!==void 0&&(Mt=A,this.setSize(_t,Et,!1))},this.getSize=function(A){return A.set(_t,Et)},this.setSize=function(A,k,K=!0){if(at.isPresenting){$t("WebGLRenderer: Can't change size while VR device is presenting.");return}_t=A,Et=k,e.width=Math.floor(A*Mt),e.height=Math.floor(k*Mt),K===!0&&(e.style.width=A+"px",e.style.height=k+"px"),F!==null&&F.setSize(e.width,e.height),this.setViewport(0,0,A,k)},this.getDrawingBufferSize=function(A){return A.set(_t*Mt,Et*Mt).floor()},this.setDrawingBufferSize=function(A,k,K){_t=A,Et=k,Mt=K,e.width=Math.floor(A*K),e.height=Math.floor(k*K),this.setViewport(0,0,A,k)},this.setEffects=function(A){if(v===si){Qt("WebGLRenderer: setEffects() requires outputBufferType set to HalfFloatType or FloatType.");return}if(A){for(let k=0;k<A.length;k++)if(A[k].isOutputPass===!0){$t("WebGLRenderer: OutputPass is not needed in setEffects(). Tone mapping and color space conversion are applied automatically.");break}}F.setEffects(A||[])},this.getCurrentViewport=function(A){return A.copy(it)},this.getViewport=function(A){return A.copy(Ht)},this.setViewport=function(A,k,K,q){A.isVector4?Ht.set(A.x,A.y,A.z,A.w):Ht.set(A,k,K,q),bt.viewport(it.copy(Ht).multiplyScalar(sn()).round())},this.getScissor=function(A){return A.copy(ue)},this.setScissor=function(A,k,K,q){A.isVector4?ue.set(A.x,A.y,A.z,A.w):ue.set(A,k,K,q),bt.scissor(ut.copy(ue).multiplyScalar(sn()).round())},this.getScissorTest=function(){return le},this.setScissorTest=function(A){bt.setScissorTest(le=A)},this.setOpaqueSort=function(A){Xt=A},this.setTransparentSort=function(A){se=A},this.getClearColor=function(A){return A.copy(O.getClearColor())},this.setClearColor=function(){O.setClearColor(...arguments)},this.getClearAlpha=function(){return O.getClearAlpha()},this.setClearAlpha=function(){O.setClearAlpha(...arguments)},this.clear=function(A=!0,k=!0,K=!0){let q=0;if(A){let $=!1;if(lt!==null){let At=lt.texture.format;$=p.has(At)}if($){let At=lt.texture.type,It=m.has(At),Tt=O.getClearColor(),Lt=O.getClearAlpha(),kt=Tt.r,te=Tt.g,de=Tt.b;It?(y[0]=kt,y[1]=te,y[2]=de,y[3]=Lt,B.clearBufferuiv(B.COLOR,0,y)):(T[0]=kt,T[1]=te,T[2]=de,T[3]=Lt,B.clearBufferiv(B.COLOR,0,T))}else q|=B.COLOR_BUFFER_BIT}k&&(q|=B.DEPTH_BUFFER_BIT,this.state.buffers.depth.setMask(!0)),K&&(q|=B.STENCIL_BUFFER_BIT,this.state.buffers.stencil.setMask(4294967295)),q!==0&&B.clear(q)},this.clearColor=function(){this.clear(!0,!1,!1)},this.clearDepth=function(){this.clear(!1,!0,!1)},this.clearStencil=function(){this.clear(!1,!1,!0)},this.setNodesHandler=function(A){A.setRenderer(this),z=A},this.dispose=function(){e.removeEventListener("webglcontextlost",Ot,!1),e.removeEventListener("webglcontextrestored",jt,!1),e.removeEventListener("webglcontextcreationerror",Ct,!1),O.dispose(),xt.dispose(),tt.dispose(),Yt.dispose(),Vt.dispose(),R.dispose(),ct.dispose(),X.dispose(),St.dispose(),Wt.dispose(),rt.dispose(),at.dispose(),at.removeEventListener("sessionstart",al),at.removeEventListener("sessionend",Gi),os.stop()};function Ot(A){A.preventDefault(),fa("WebGLRenderer: Context Lost."),L=!0}function jt(){fa("WebGLRenderer: Context Restored."),L=!1;let A=Ue.autoReset,k=ft.enabled,K=ft.autoUpdate,q=ft.needsUpdate,$=ft.type;Kt(),Ue.autoReset=A,ft.enabled=k,ft.autoUpdate=K,ft.needsUpdate=q,ft.type=$}function Ct(A){Qt("WebGLRenderer: A WebGL context could not be created. Reason: ",A.statusMessage)}function ae(A){let k=A.target;k.removeEventListener("dispose",ae),ze(k)}function ze(A){Wn(A),Vt.remove(A)}function Wn(A){let k=Vt.get(A).programs;k!==void 0&&(k.forEach(function(K){rt.releaseProgram(K)}),A.isShaderMaterial&&rt.releaseShaderCache(A))}this.renderBufferDirect=function(A,k,K,q,$,At){k===null&&(k=fn);let It=$.isMesh&&$.matrixWorld.determinantAffine()<0,Tt=Wo(A,k,K,q,$);bt.setMaterial(q,It);let Lt=K.index,kt=1;if(q.wireframe===!0){if(Lt=X.getWireframeAttribute(K),Lt===void 0)return;kt=2}let te=K.drawRange,de=K.attributes.position,Bt=te.start*kt,fe=(te.start+te.count)*kt;At!==null&&(Bt=Math.max(Bt,At.start*kt),fe=Math.min(fe,(At.start+At.count)*kt)),Lt!==null?(Bt=Math.max(Bt,0),fe=Math.min(fe,Lt.count)):de!=null&&(Bt=Math.max(Bt,0),fe=Math.min(fe,de.count));let $e=fe-Bt;if($e<0||$e===1/0)return;St.setup($,q,Tt,K,Lt);let Pe,Ie=et;if(Lt!==null&&(Pe=M.get(Lt),Ie=wt,Ie.setIndex(Pe)),$.isMesh)q.wireframe===!0?(bt.setLineWidth(q.wireframeLinewidth*sn()),Ie.setMode(B.LINES)):Ie.setMode(B.TRIANGLES);else if($.isLine){let pn=q.linewidth;pn===void 0&&(pn=1),bt.setLineWidth(pn*sn()),$.isLineSegments?Ie.setMode(B.LINES):$.isLineLoop?Ie.setMode(B.LINE_LOOP):Ie.setMode(B.LINE_STRIP)}else $.isPoints?Ie.setMode(B.POINTS):$.isSprite&&Ie.setMode(B.TRIANGLES);if($.isBatchedMesh)if(Zt.get("WEBGL_multi_draw"))Ie.renderMultiDraw($._multiDrawStarts,$._multiDrawCounts,$._multiDrawCount);else{let pn=$._multiDrawStarts,Ut=$._multiDrawCounts,rn=$._multiDrawCount,me=Lt?M.get(Lt).bytesPerElement:1,ls=Vt.get(q).currentProgram.getUniforms();for(let on=0;on<rn;on++)ls.setValue(B,"_gl_DrawID",on),Ie.render(pn[on]/me,Ut[on])}else if($.isInstancedMesh)Ie.renderInstances(Bt,$e,$.count);else if(K.isInstancedBufferGeometry){let pn=K._maxInstanceCount!==void 0?K._maxInstanceCount:1/0,Ut=Math.min(K.instanceCount,pn);Ie.renderInstances(Bt,$e,Ut)}else Ie.render(Bt,$e)};function Vo(A,k,K,q){z!==null&&A.isNodeMaterial&&z.setObject(q,A),Be===!0&&nt.setState(A,K,!1),A.transparent===!0&&A.side===Qi&&A.forceSinglePass===!1?(A.side=Qn,A.needsUpdate=!0,Hi(A,k,q),A.side=Xs,A.needsUpdate=!0,Hi(A,k,q),A.side=Qi):Hi(A,k,q)}this.compile=function(A,k,K=null){K===null&&(K=A),z!==null&&z.renderStart(A,k,K),E=tt.get(K),E.init(k),w.push(E),K.traverseVisible(function($){$.isLight&&$.layers.test(k.layers)&&(E.pushLight($),$.castShadow&&E.pushShadow($))}),A!==K&&A.traverseVisible(function($){$.isLight&&$.layers.test(k.layers)&&(E.pushLight($),$.castShadow&&E.pushShadow($))}),E.setupLights(),z!==null&&z.updateLights(E.state.lightsArray),nn=this.localClippingEnabled,Be=nt.init(this.clippingPlanes,nn),Be===!0&&nt.setGlobalState(this.clippingPlanes,k),z!==null&&ft.render(E.state.shadowsArray,K,k);let q=new Set;return A.traverse(function($){if(!($.isMesh||$.isPoints||$.isLine||$.isSprite))return;let At=$.material;if(At)if(Array.isArray(At))for(let It=0;It<At.length;It++){let Tt=At[It];Vo(Tt,K,k,$),q.add(Tt)}else Vo(At,K,k,$),q.add(At)}),E=w.pop(),z!==null&&z.renderEnd(),q},this.compileAsync=function(A,k,K=null){let q=this.compile(A,k,K);return new Promise($=>{function At(){if(q.forEach(function(It){let Lt=Vt.get(It).currentProgram;(Lt===void 0||Lt.isReady())&&q.delete(It)}),q.size===0){$(A);return}setTimeout(At,10)}Zt.get("KHR_parallel_shader_compile")!==null?At():setTimeout(At,10)})};let Lr=null;function du(A){Lr&&Lr(A)}function al(){os.stop()}function Gi(){os.start()}let os=new fg;os.setAnimationLoop(du),typeof self<"u"&&os.setContext(self),this.setAnimationLoop=function(A){Lr=A,at.setAnimationLoop(A),A===null?os.stop():os.start()},at.addEventListener("sessionstart",al),at.addEventListener("sessionend",Gi),this.render=function(A,k){if(k!==void 0&&k.isCamera!==!0){Qt("WebGLRenderer.render: camera is not an instance of THREE.Camera.");return}if(L===!0)return;z!==null&&z.renderStart(A,k);let K=at.enabled===!0&&at.isPresenting===!0,q=F!==null&&(lt===null||K)&&F.begin(I,lt);if(A.matrixWorldAutoUpdate===!0&&A.updateMatrixWorld(),k.parent===null&&k.matrixWorldAutoUpdate===!0&&k.updateMatrixWorld(),at.enabled===!0&&at.isPresenting===!0&&(F===null||F.isCompositing()===!1)&&(at.cameraAutoUpdate===!0&&at.updateCamera(k),k=at.getCamera()),A.isScene===!0&&A.onBeforeRender(I,A,k,lt),E=tt.get(A,w.length),E.init(k),E.state.textureUnits=Yt.getTextureUnits(),w.push(E),De.multiplyMatrices(k.projectionMatrix,k.matrixWorldInverse),k.isArrayCamera?qe.setFromArrayCamera(k):ne.setFromProjectionMatrix(De,Si,k.reversedDepth),nn=this.localClippingEnabled,Be=nt.init(this.clippingPlanes,nn),C=xt.get(A,_.length),C.init(),_.push(C),this.info.render.frame++,at.enabled===!0&&at.isPresenting===!0){let It=I.xr.getDepthSensingMesh();It!==null&&as(It,k,-1/0,I.sortObjects)}as(A,k,0,I.sortObjects),C.finish(),z!==null&&z.updateLights(E.state.lightsArray),I.sortObjects===!0&&C.sort(Xt,se),Ze=at.enabled===!1||at.isPresenting===!1||at.hasDepthSensing()===!1,Ze&&O.addToRenderList(C,A),this.info.autoReset===!0&&this.info.reset(),Be===!0&&nt.beginShadows();let $=E.state.shadowsArray;if(ft.render($,A,k),Be===!0&&nt.endShadows(),(q&&F.hasRenderPass())===!1){let It=C.opaque,Tt=C.transmissive;if(E.setupLights(),k.isArrayCamera){let Lt=k.cameras;if(Tt.length>0)for(let kt=0,te=Lt.length;kt<te;kt++){let de=Lt[kt];Ei(It,Tt,A,de)}Ze&&O.render(A);for(let kt=0,te=Lt.length;kt<te;kt++){let de=Lt[kt];Go(C,A,de,de.viewport)}}else Tt.length>0&&Ei(It,Tt,A,k),Ze&&O.render(A),Go(C,A,k)}lt!==null&&G===0&&(Yt.updateMultisampleRenderTarget(lt),Yt.updateRenderTargetMipmap(lt)),q&&F.end(I),A.isScene===!0&&A.onAfterRender(I,A,k),St.resetDefaultState(),J=-1,j=null,w.pop(),w.length>0?(E=w[w.length-1],Yt.setTextureUnits(E.state.textureUnits),Be===!0&&nt.setGlobalState(I.clippingPlanes,E.state.camera)):E=null,_.pop(),_.length>0?C=_[_.length-1]:C=null,z!==null&&z.renderEnd()};function as(A,k,K,q){if(A.visible===!1)return;if(A.layers.test(k.layers)){if(A.isGroup)K=A.renderOrder;else if(A.isLOD)A.autoUpdate===!0&&A.update(k);else if(A.isLight)E.pushLight(A),A.castShadow&&E.pushShadow(A);else if(A.isSprite){let It=k.isArrayCamera?qe:ne;if(!A.frustumCulled||A.intersectsFrustum(It)){q&&ye.setFromMatrixPosition(A.matrixWorld).applyMatrix4(De);let Tt=ct.update(A),Lt=A.material;Lt.visible&&C.push(A,Tt,Lt,K,ye.z,null,k)}}else if(A.isMesh||A.isLine||A.isPoints){let It=k.isArrayCamera?qe:ne;if(!A.frustumCulled||A.intersectsFrustum(It)){let Tt=ct.update(A),Lt=A.material;if(q&&(A.boundingSphere!==void 0?(A.boundingSphere===null&&A.computeBoundingSphere(),ye.copy(A.boundingSphere.center)):(Tt.boundingSphere===null&&Tt.computeBoundingSphere(),ye.copy(Tt.boundingSphere.center)),ye.applyMatrix4(A.matrixWorld).applyMatrix4(De)),Array.isArray(Lt)){let kt=Tt.groups;for(let te=0,de=kt.length;te<de;te++){let Bt=kt[te],fe=Lt[Bt.materialIndex];fe&&fe.visible&&C.push(A,Tt,fe,K,ye.z,Bt,k)}}else Lt.visible&&C.push(A,Tt,Lt,K,ye.z,null,k)}}}let At=A.children;for(let It=0,Tt=At.length;It<Tt;It++)as(At[It],k,K,q)}function Go(A,k,K,q){let{opaque:$,transmissive:At,transparent:It}=A;E.setupLightsView(K),Be===!0&&nt.setGlobalState(I.clippingPlanes,K),q&&bt.viewport(it.copy(q)),$.length>0&&Je($,k,K),At.length>0&&Je(At,k,K),It.length>0&&Je(It,k,K),bt.buffers.depth.setTest(!0),bt.buffers.depth.setMask(!0),bt.buffers.color.setMask(!0),bt.setPolygonOffset(!1)}function Ei(A,k,K,q){if((K.isScene===!0?K.overrideMaterial:null)!==null)return;if(E.state.transmissionRenderTarget[q.id]===void 0){let Bt=Zt.has("EXT_color_buffer_half_float")||Zt.has("EXT_color_buffer_float");E.state.transmissionRenderTarget[q.id]=new ui(1,1,{generateMipmaps:!0,type:Bt?Oi:si,minFilter:vs,samples:Math.max(4,re.samples),stencilBuffer:r,resolveDepthBuffer:!1,resolveStencilBuffer:!1,storeMultisampledDepthBuffer:!1,storeMultisampledStencilBuffer:!1,colorSpace:ge.workingColorSpace})}let At=E.state.transmissionRenderTarget[q.id],It=q.viewport||it;At.setSize(It.z*I.transmissionResolutionScale,It.w*I.transmissionResolutionScale);let Tt=I.getRenderTarget(),Lt=I.getActiveCubeFace(),kt=I.getActiveMipmapLevel();I.setRenderTarget(At),I.getClearColor(Q),pt=I.getClearAlpha(),pt<1&&I.setClearColor(16777215,.5),I.clear(),Ze&&O.render(K);let te=I.toneMapping;I.toneMapping=ts;let de=q.viewport;if(q.viewport!==void 0&&(q.viewport=void 0),E.setupLightsView(q),Be===!0&&nt.setGlobalState(I.clippingPlanes,q),Je(A,K,q),Yt.updateMultisampleRenderTarget(At),Yt.updateRenderTargetMipmap(At),Zt.has("WEBGL_multisampled_render_to_texture")===!1){let Bt=!1;for(let fe=0,$e=k.length;fe<$e;fe++){let Pe=k[fe],{object:Ie,geometry:pn,material:Ut,group:rn}=Pe;if(Ut.side===Qi&&Ie.layers.test(q.layers)){let me=Ut.side;Ut.side=Qn,Ut.needsUpdate=!0,tn(Ie,K,q,pn,Ut,rn),Ut.side=me,Ut.needsUpdate=!0,Bt=!0}}Bt===!0&&(Yt.updateMultisampleRenderTarget(At),Yt.updateRenderTargetMipmap(At))}I.setRenderTarget(Tt,Lt,kt),I.setClearColor(Q,pt),de!==void 0&&(q.viewport=de),I.toneMapping=te}function Je(A,k,K){let q=k.isScene===!0?k.overrideMaterial:null;for(let $=0,At=A.length;$<At;$++){let It=A[$],{object:Tt,geometry:Lt,group:kt}=It,te=It.material;te.allowOverride===!0&&q!==null&&(te=q),Tt.layers.test(K.layers)&&tn(Tt,k,K,Lt,te,kt)}}function tn(A,k,K,q,$,At){z!==null&&$.isNodeMaterial&&z.setObject(A,$),A.onBeforeRender(I,k,K,q,$,At),A.modelViewMatrix.multiplyMatrices(K.matrixWorldInverse,A.matrixWorld),A.normalMatrix.getNormalMatrix(A.modelViewMatrix),$.onBeforeRender(I,k,K,q,A,At),$.transparent===!0&&$.side===Qi&&$.forceSinglePass===!1?($.side=Qn,$.needsUpdate=!0,I.renderBufferDirect(K,k,q,$,A,At),$.side=Xs,$.needsUpdate=!0,I.renderBufferDirect(K,k,q,$,A,At),$.side=Qi):I.renderBufferDirect(K,k,q,$,A,At),A.onAfterRender(I,k,K,q,$,At)}function en(A){let k=0;for(let K of A)K.texture!==null&&k++;return k}function Hi(A,k,K){k.isScene!==!0&&(k=fn);let q=Vt.get(A),$=E.state.lights,At=E.state.shadowsArray,It=$.state.version,Tt=rt.getParameters(A,$.state,At,k,K,E.state.lightProbeGridArray),Lt=rt.getProgramCacheKey(Tt),kt=q.programs;q.environment=A.isMeshStandardMaterial||A.isMeshLambertMaterial||A.isMeshPhongMaterial?k.environment:null,q.fog=k.fog;let te=A.isMeshStandardMaterial||A.isMeshLambertMaterial&&!A.envMap||A.isMeshPhongMaterial&&!A.envMap;q.envMap=R.get(A.envMap||q.environment,te),q.envMapRotation=q.environment!==null&&A.envMap===null?k.environmentRotation:A.envMapRotation,kt===void 0&&(A.addEventListener("dispose",ae),kt=new Map,q.programs=kt,q.programVariants=new Map);let de=kt.get(Lt);if(de!==void 0){if(q.currentProgram===de&&q.lightsStateVersion===It)return Ho(A,Tt),de}else Tt.uniforms=rt.getUniforms(A),z!==null&&A.isNodeMaterial&&z.build(A,K,Tt),A.onBeforeCompile(Tt,I),de=rt.acquireProgram(Tt,Lt),kt.set(Lt,de),q.uniforms=Tt.uniforms;let Bt=q.uniforms;return(!A.isShaderMaterial&&!A.isRawShaderMaterial||A.clipping===!0)&&(Bt.clippingPlanes=nt.uniform),Ho(A,Tt),q.needsLights=Ts(A),q.lightsStateVersion=It,q.needsLights&&(Bt.ambientLightColor.value=$.state.ambient,Bt.lightProbe.value=$.state.probe,Bt.sunLights.value=$.state.sun,Bt.sunLightShadows.value=$.state.sunShadow,Bt.directionalLights.value=$.state.directional,Bt.directionalLightShadows.value=$.state.directionalShadow,Bt.spotLights.value=$.state.spot,Bt.spotLightShadows.value=$.state.spotShadow,Bt.rectAreaLights.value=$.state.rectArea,Bt.ltc_1.value=$.state.rectAreaLTC1,Bt.ltc_2.value=$.state.rectAreaLTC2,Bt.pointLights.value=$.state.point,Bt.pointLightShadows.value=$.state.pointShadow,Bt.hemisphereLights.value=$.state.hemi,Bt.sunShadowMatrix.value=$.state.sunShadowMatrix,Bt.sunShadowCascade.value=$.state.sunShadowCascade,Bt.directionalShadowMatrix.value=$.state.directionalShadowMatrix,Bt.spotLightMatrix.value=$.state.spotLightMatrix,Bt.spotLightMap.value=$.state.spotLightMap,Bt.pointShadowMatrix.value=$.state.pointShadowMatrix),q.numLightProbeGrids=en(E.state.lightProbeGridArray),q.currentProgram=de,q.uniformsList=null,de}function ri(A,k,K,q,$){let At=Vt.get(A),It=At.currentProgram.id+","+q+","+$,Tt=At.programVariants.get(It);return Tt===void 0?(Tt=Hi(A,k,K),At.programVariants.set(It,Tt)):(At.currentProgram=Tt,At.uniformsList=null,At.outputColorSpace=q,At.toneMapping=$),Tt}function As(A){if(A.uniformsList===null){let k=A.currentProgram.getUniforms();A.uniformsList=Eo.seqWithValue(k.seq,A.uniforms)}return A.uniformsList}function Ho(A,k){let K=Vt.get(A);K.outputColorSpace=k.outputColorSpace,K.batching=k.batching,K.batchingColor=k.batchingColor,K.instancing=k.instancing,K.instancingColor=k.instancingColor,K.instancingMorph=k.instancingMorph,K.skinning=k.skinning,K.morphTargets=k.morphTargets,K.morphNormals=k.morphNormals,K.morphColors=k.morphColors,K.morphTargetsCount=k.morphTargetsCount,K.numClippingPlanes=k.numClippingPlanes,K.numIntersection=k.numClipIntersection,K.vertexAlphas=k.vertexAlphas,K.vertexTangents=k.vertexTangents,K.toneMapping=k.toneMapping}function Wo(A,k,K,q,$){k.isScene!==!0&&(k=fn),Yt.resetTextureUnits();let At=k.fog,It=q.isMeshStandardMaterial||q.isMeshLambertMaterial||q.isMeshPhongMaterial?k.environment:null,Tt=lt===null?I.outputColorSpace:lt.isXRRenderTarget===!0?lt.texture.colorSpace:ge.workingColorSpace,Lt=q.isMeshStandardMaterial||q.isMeshLambertMaterial&&!q.envMap||q.isMeshPhongMaterial&&!q.envMap,kt=R.get(q.envMap||It,Lt),te=q.vertexColors===!0&&!!K.attributes.color&&K.attributes.color.itemSize===4,de=!!K.attributes.tangent&&(!!q.normalMap||q.anisotropy>0),Bt=!!K.morphAttributes.position,fe=!!K.morphAttributes.normal,$e=!!K.morphAttributes.color,Pe=ts;q.toneMapped&&(lt===null||lt.isXRRenderTarget===!0)&&(Pe=I.toneMapping);let Ie=K.morphAttributes.position||K.morphAttributes.normal||K.morphAttributes.color,pn=Ie!==void 0?Ie.length:0,Ut=Vt.get(q),rn=E.state.lights;if(Be===!0&&(nn===!0||A!==j)){let Le=A===j&&q.id===J;nt.setState(q,A,Le)}let me=!1,ls=!1;q.version===Ut.__version?Ut.needsLights&&Ut.lightsStateVersion!==rn.state.version||$.isBatchedMesh&&Ut.batching===!1||!$.isBatchedMesh&&Ut.batching===!0||$.isBatchedMesh&&Ut.batchingColor===!0&&$._colorsTexture===null||$.isBatchedMesh&&Ut.batchingColor===!1&&$._colorsTexture!==null||$.isInstancedMesh&&Ut.instancing===!1||!$.isInstancedMesh&&Ut.instancing===!0||$.isSkinnedMesh&&Ut.skinning===!1||!$.isSkinnedMesh&&Ut.skinning===!0||$.isInstancedMesh&&Ut.instancingColor===!0&&$.instanceColor===null||$.isInstancedMesh&&Ut.instancingColor===!1&&$.instanceColor!==null||$.isInstancedMesh&&Ut.instancingMorph===!0&&$.morphTexture===null||$.isInstancedMesh&&Ut.instancingMorph===!1&&$.morphTexture!==null||Ut.envMap!==kt||q.fog===!0&&Ut.fog!==At||Ut.numClippingPlanes!==void 0&&(Ut.numClippingPlanes!==nt.numPlanes||Ut.numIntersection!==nt.numIntersection)||Ut.vertexAlphas!==te||Ut.vertexTangents!==de||Ut.morphTargets!==Bt||Ut.morphNormals!==fe||Ut.morphColors!==$e||Ut.morphTargetsCount!==pn||Ut.numLightProbeGrids!==en(E.state.lightProbeGridArray)?me=!0:(Ut.outputColorSpace!==Tt||Ut.toneMapping!==Pe)&&(ls=!0):(me=!0,Ut.__version=q.version);let on=Ut.currentProgram;(me===!0||ls===!0)&&(on=ls===!0?ri(q,k,$,Tt,Pe):Hi(q,k,$),z&&q.isNodeMaterial&&z.onUpdateProgram(q,on,Ut));let Ur=!1,Wi=!1,cs=!1,ce=on.getUniforms(),Ke=Ut.uniforms;if(bt.useProgram(on.program)&&(Ur=!0,Wi=!0,cs=!0),q.id!==J&&(J=q.id,Wi=!0),Ur||j!==A){bt.buffers.depth.getReversed()&&A.reversedDepth!==!0&&(A._reversedDepth=!0,A.updateProjectionMatrix()),ce.setValue(B,"projectionMatrix",A.projectionMatrix),ce.setValue(B,"viewMatrix",A.matrixWorldInverse);let an=ce.map.cameraPosition;an!==void 0&&an.setValue(B,Sn.setFromMatrixPosition(A.matrixWorld)),re.logarithmicDepthBuffer&&ce.setValue(B,"logDepthBufFC",2/(Math.log(A.far+1)/Math.LN2)),(q.isMeshPhongMaterial||q.isMeshToonMaterial||q.isMeshLambertMaterial||q.isMeshBasicMaterial||q.isMeshStandardMaterial||q.isShaderMaterial)&&ce.setValue(B,"isOrthographic",A.isOrthographicCamera===!0),j!==A&&(j=A,Wi=!0,cs=!0)}if(Ut.needsLights&&(rn.state.sunShadowMap.length>0&&ce.setValue(B,"sunShadowMap",rn.state.sunShadowMap,Yt),rn.state.directionalShadowMap.length>0&&ce.setValue(B,"directionalShadowMap",rn.state.directionalShadowMap,Yt),rn.state.spotShadowMap.length>0&&ce.setValue(B,"spotShadowMap",rn.state.spotShadowMap,Yt),rn.state.pointShadowMap.length>0&&ce.setValue(B,"pointShadowMap",rn.state.pointShadowMap,Yt)),$.isSkinnedMesh){ce.setOptional(B,$,"bindMatrix"),ce.setOptional(B,$,"bindMatrixInverse");let Le=$.skeleton;Le&&(Le.boneTexture===null&&Le.computeBoneTexture(),ce.setValue(B,"boneTexture",Le.boneTexture,Yt))}$.isBatchedMesh&&(ce.setOptional(B,$,"batchingTexture"),ce.setValue(B,"batchingTexture",$._matricesTexture,Yt),ce.setOptional(B,$,"batchingIdTexture"),ce.setValue(B,"batchingIdTexture",$._indirectTexture,Yt),ce.setOptional(B,$,"batchingColorTexture"),$._colorsTexture!==null&&ce.setValue(B,"batchingColorTexture",$._colorsTexture,Yt));let Xn=K.morphAttributes;if((Xn.position!==void 0||Xn.normal!==void 0||Xn.color!==void 0)&&st.update($,K,on),(Wi||Ut.receiveShadow!==$.receiveShadow)&&(Ut.receiveShadow=$.receiveShadow,ce.setValue(B,"receiveShadow",$.receiveShadow)),(q.isMeshStandardMaterial||q.isMeshLambertMaterial||q.isMeshPhongMaterial)&&q.envMap===null&&k.environment!==null&&(Ke.envMapIntensity.value=k.environmentIntensity),Ke.dfgLUT!==void 0&&(Ke.dfgLUT.value=Yb()),Wi){if(ce.setValue(B,"toneMappingExposure",I.toneMappingExposure),Ut.needsLights&&Dr(Ke,cs),At&&q.fog===!0&&gt.refreshFogUniforms(Ke,At),gt.refreshMaterialUniforms(Ke,q,Mt,Et,E.state.transmissionRenderTarget[A.id]),Ut.needsLights&&Ut.numLightProbeGrids>0){let Le=S,an=0;for(let Bn of E.state.lightProbeGridArray)Bn.texture!==null&&(Le.textures[an]=Bn.texture,Le.min[an]=Bn.boundingBox.min,Le.max[an]=Bn.boundingBox.max,Le.resolution[an]=Bn.resolution,an++);for(let Bn in Le)Le[Bn].length=an;Ke.probesSH.value=Le.textures,Ke.probesMin.value=Le.min,Ke.probesMax.value=Le.max,Ke.probesResolution.value=Le.resolution}Eo.upload(B,As(Ut),Ke,Yt)}if(q.isShaderMaterial&&q.uniformsNeedUpdate===!0&&(Eo.upload(B,As(Ut),Ke,Yt),q.uniformsNeedUpdate=!1),q.isSpriteMaterial&&ce.setValue(B,"center",$.center),ce.setValue(B,"modelViewMatrix",$.modelViewMatrix),ce.setValue(B,"normalMatrix",$.normalMatrix),ce.setValue(B,"modelMatrix",$.matrixWorld),q.uniformsGroups!==void 0){let Le=q.uniformsGroups;for(let an=0,Bn=Le.length;an<Bn;an++){let ll=Le[an];Wt.update(ll,on),Wt.bind(ll,on)}}return on}function Dr(A,k){A.ambientLightColor.needsUpdate=k,A.lightProbe.needsUpdate=k,A.sunLights.needsUpdate=k,A.sunLightShadows.needsUpdate=k,A.directionalLights.needsUpdate=k,A.directionalLightShadows.needsUpdate=k,A.pointLights.needsUpdate=k,A.pointLightShadows.needsUpdate=k,A.spotLights.needsUpdate=k,A.spotLightShadows.needsUpdate=k,A.rectAreaLights.needsUpdate=k,A.hemisphereLights.needsUpdate=k}function Ts(A){return A.isMeshLambertMaterial||A.isMeshToonMaterial||A.isMeshPhongMaterial||A.isMeshStandardMaterial||A.isShadowMaterial||A.isShaderMaterial&&A.lights===!0}this.getActiveCubeFace=function(){return Y},this.getActiveMipmapLevel=function(){return G},this.getRenderTarget=function(){return lt},this.setRenderTargetTextures=function(A,k,K){let q=Vt.get(A);q.__autoAllocateDepthBuffer=A.resolveDepthBuffer===!1,q.__autoAllocateDepthBuffer===!1&&(q.__useRenderToTexture=!1),Vt.get(A.texture).__webglTexture=k,Vt.get(A.depthTexture).__webglTexture=q.__autoAllocateDepthBuffer?void 0:K,q.__hasExternalTextures=!0},this.setRenderTargetFramebuffer=function(A,k){let K=Vt.get(A);K.__webglFramebuffer=k,K.__useDefaultFramebuffer=k===void 0},this.setRenderTarget=function(A,k=0,K=0){lt=A,Y=k,G=K;let q=null,$=!1,At=!1;if(A){let Tt=Vt.get(A);if(Tt.__useDefaultFramebuffer!==void 0){bt.bindFramebuffer(B.FRAMEBUFFER,Tt.__webglFramebuffer),it.copy(A.viewport),ut.copy(A.scissor),ht=A.scissorTest,bt.viewport(it),bt.scissor(ut),bt.setScissorTest(ht),J=-1;return}else if(Tt.__webglFramebuffer===void 0)Yt.setupRenderTarget(A);else if(Tt.__hasExternalTextures)Yt.rebindTextures(A,Vt.get(A.texture).__webglTexture,Vt.get(A.depthTexture).__webglTexture);else if(A.depthBuffer){let te=A.depthTexture;if(Tt.__boundDepthTexture!==te){if(te!==null&&Vt.has(te)&&(A.width!==te.image.width||A.height!==te.image.height))throw new Error("THREE.WebGLRenderer: Attached DepthTexture is initialized to the incorrect size.");Yt.setupDepthRenderbuffer(A)}}let Lt=A.texture;(Lt.isData3DTexture||Lt.isDataArrayTexture||Lt.isCompressedArrayTexture)&&(At=!0);let kt=Vt.get(A).__webglFramebuffer;A.isWebGLCubeRenderTarget?(Array.isArray(kt[k])?q=kt[k][K]:q=kt[k],$=!0):A.samples>0&&Yt.useMultisampledRTT(A)===!1?q=Vt.get(A).__webglMultisampledFramebuffer:Array.isArray(kt)?q=kt[K]:q=kt,it.copy(A.viewport),ut.copy(A.scissor),ht=A.scissorTest}else it.copy(Ht).multiplyScalar(Mt).floor(),ut.copy(ue).multiplyScalar(Mt).floor(),ht=le;if(K!==0&&(q=H),bt.bindFramebuffer(B.FRAMEBUFFER,q)&&bt.drawBuffers(A,q),bt.viewport(it),bt.scissor(ut),bt.setScissorTest(ht),$){let Tt=Vt.get(A.texture);B.framebufferTexture2D(B.FRAMEBUFFER,B.COLOR_ATTACHMENT0,B.TEXTURE_CUBE_MAP_POSITIVE_X+k,Tt.__webglTexture,K)}else if(At){let Tt=k;for(let Lt=0;Lt<A.textures.length;Lt++){let kt=Vt.get(A.textures[Lt]);B.framebufferTextureLayer(B.FRAMEBUFFER,B.COLOR_ATTACHMENT0+Lt,kt.__webglTexture,K,Tt)}}else if(A!==null&&K!==0){let Tt=Vt.get(A.texture);B.framebufferTexture2D(B.FRAMEBUFFER,B.COLOR_ATTACHMENT0,B.TEXTURE_2D,Tt.__webglTexture,K)}J=-1};function Nr(A){let k=Vt.get(A);return(k.__readFormat!==A.format||k.__readType!==A.type)&&(k.__readFormat=A.format,k.__readType=A.type,k.__formatReadable=re.textureFormatReadable(A.format),k.__typeReadable=re.textureTypeReadable(A.type)),k}this.readRenderTargetPixels=function(A,k,K,q,$,At,It,Tt=0){if(!(A&&A.isWebGLRenderTarget)){Qt("WebGLRenderer.readRenderTargetPixels: renderTarget is not THREE.WebGLRenderTarget.");return}let Lt=Vt.get(A).__webglFramebuffer;if(A.isWebGLCubeRenderTarget&&It!==void 0&&(Lt=Lt[It],Array.isArray(Lt)&&(Lt=Lt[0])),Lt){bt.bindFramebuffer(B.FRAMEBUFFER,Lt);try{let kt=A.textures[Tt],te=kt.format,de=kt.type;A.textures.length>1&&B.readBuffer(B.COLOR_ATTACHMENT0+Tt);let Bt=Nr(kt);if(Bt.__formatReadable===!1){Qt("WebGLRenderer.readRenderTargetPixels: renderTarget is not in RGBA or implementation defined format.");return}if(Bt.__typeReadable===!1){Qt("WebGLRenderer.readRenderTargetPixels: renderTarget is not in UnsignedByteType or implementation defined type.");return}k>=0&&k<=A.width-q&&K>=0&&K<=A.height-$&&B.readPixels(k,K,q,$,mt.convert(te),mt.convert(de),At)}finally{let kt=lt!==null?Vt.get(lt).__webglFramebuffer:null;bt.bindFramebuffer(B.FRAMEBUFFER,kt)}}},this.readRenderTargetPixelsAsync=async function(A,k,K,q,$,At,It,Tt=0){if(!(A&&A.isWebGLRenderTarget))throw new Error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not THREE.WebGLRenderTarget.");let Lt=Vt.get(A).__webglFramebuffer;if(A.isWebGLCubeRenderTarget&&It!==void 0&&(Lt=Lt[It],Array.isArray(Lt)&&(Lt=Lt[0])),Lt)if(k>=0&&k<=A.width-q&&K>=0&&K<=A.height-$){bt.bindFramebuffer(B.FRAMEBUFFER,Lt);let kt=A.textures[Tt],te=kt.format,de=kt.type;A.textures.length>1&&B.readBuffer(B.COLOR_ATTACHMENT0+Tt);let Bt=Nr(kt);if(Bt.__formatReadable===!1)throw new Error("THREE.WebGLRenderer.readRenderTargetPixelsAsync: renderTarget is not in RGBA or implementation defined format.");if(Bt.__typeReadable===!1)throw new Error("THREE.WebGLRenderer.readRenderTargetPixelsAsync: renderTarget is not in UnsignedByteType or implementation defined type.");let fe=B.createBuffer();B.bindBuffer(B.PIXEL_PACK_BUFFER,fe),B.bufferData(B.PIXEL_PACK_BUFFER,At.byteLength,B.STREAM_READ),B.readPixels(k,K,q,$,mt.convert(te),mt.convert(de),0),B.bindBuffer(B.PIXEL_PACK_BUFFER,null);let $e=lt!==null?Vt.get(lt).__webglFramebuffer:null;bt.bindFramebuffer(B.FRAMEBUFFER,$e);let Pe=B.fenceSync(B.SYNC_GPU_COMMANDS_COMPLETE,0);return B.flush(),await Vm(B,Pe,4),B.bindBuffer(B.PIXEL_PACK_BUFFER,fe),B.getBufferSubData(B.PIXEL_PACK_BUFFER,0,At),B.bindBuffer(B.PIXEL_PACK_BUFFER,null),B.deleteBuffer(fe),B.deleteSync(Pe),At}else throw new Error("THREE.WebGLRenderer.readRenderTargetPixelsAsync: requested read bounds are out of range.")},this.copyFramebufferToTexture=function(A,k=null,K=0){let q=Math.pow(2,-K),$=Math.floor(A.image.width*q),At=Math.floor(A.image.height*q),It=k!==null?k.x:0,Tt=k!==null?k.y:0;Yt.setTexture2D(A,0),B.copyTexSubImage2D(B.TEXTURE_2D,K,0,0,It,Tt,$,At),bt.unbindTexture()},this.copyTextureToTexture=function(A,k,K=null,q=null,$=0,At=0){let It,Tt,Lt,kt,te,de,Bt,fe,$e,Pe=A.isCompressedTexture?A.mipmaps[At]:A.image;if(K!==null)It=K.max.x-K.min.x,Tt=K.max.y-K.min.y,Lt=K.isBox3?K.max.z-K.min.z:1,kt=K.min.x,te=K.min.y,de=K.isBox3?K.min.z:0;else{let ce=Math.pow(2,-$);It=Math.floor(Pe.width*ce),Tt=Math.floor(Pe.height*ce),A.isDataArrayTexture?Lt=Pe.depth:A.isData3DTexture?Lt=Math.floor(Pe.depth*ce):Lt=1,kt=0,te=0,de=0}q!==null?(Bt=q.x,fe=q.y,$e=q.z):(Bt=0,fe=0,$e=0);let Ie=mt.convert(k.format),pn=mt.convert(k.type),Ut;k.isData3DTexture?(Yt.setTexture3D(k,0),Ut=B.TEXTURE_3D):k.isDataArrayTexture||k.isCompressedArrayTexture?(Yt.setTexture2DArray(k,0),Ut=B.TEXTURE_2D_ARRAY):(Yt.setTexture2D(k,0),Ut=B.TEXTURE_2D),bt.activeTexture(B.TEXTURE0),bt.pixelStorei(B.UNPACK_FLIP_Y_WEBGL,k.flipY),bt.pixelStorei(B.UNPACK_PREMULTIPLY_ALPHA_WEBGL,k.premultiplyAlpha),bt.pixelStorei(B.UNPACK_ALIGNMENT,k.unpackAlignment);let rn=bt.getParameter(B.UNPACK_ROW_LENGTH),me=bt.getParameter(B.UNPACK_IMAGE_HEIGHT),ls=bt.getParameter(B.UNPACK_SKIP_PIXELS),on=bt.getParameter(B.UNPACK_SKIP_ROWS),Ur=bt.getParameter(B.UNPACK_SKIP_IMAGES);bt.pixelStorei(B.UNPACK_ROW_LENGTH,Pe.width),bt.pixelStorei(B.UNPACK_IMAGE_HEIGHT,Pe.height),bt.pixelStorei(B.UNPACK_SKIP_PIXELS,kt),bt.pixelStorei(B.UNPACK_SKIP_ROWS,te),bt.pixelStorei(B.UNPACK_SKIP_IMAGES,de);let Wi=A.isDataArrayTexture||A.isData3DTexture,cs=k.isDataArrayTexture||k.isData3DTexture;if(A.isDepthTexture){let ce=Vt.get(A),Ke=Vt.get(k),Xn=Vt.get(ce.__renderTarget),Le=Vt.get(Ke.__renderTarget);bt.bindFramebuffer(B.READ_FRAMEBUFFER,Xn.__webglFramebuffer),bt.bindFramebuffer(B.DRAW_FRAMEBUFFER,Le.__webglFramebuffer);for(let an=0;an<Lt;an++)Wi&&(B.framebufferTextureLayer(B.READ_FRAMEBUFFER,B.COLOR_ATTACHMENT0,Vt.get(A).__webglTexture,$,de+an),B.framebufferTextureLayer(B.DRAW_FRAMEBUFFER,B.COLOR_ATTACHMENT0,Vt.get(k).__webglTexture,At,$e+an)),B.blitFramebuffer(kt,te,kt+It,te+Tt,Bt,fe,Bt+It,fe+Tt,B.DEPTH_BUFFER_BIT,B.NEAREST);bt.bindFramebuffer(B.READ_FRAMEBUFFER,null),bt.bindFramebuffer(B.DRAW_FRAMEBUFFER,null)}else if($!==0||A.isRenderTargetTexture||Vt.has(A)){let ce=Vt.get(A),Ke=Vt.get(k);bt.bindFramebuffer(B.READ_FRAMEBUFFER,N),bt.bindFramebuffer(B.DRAW_FRAMEBUFFER,W);for(let Xn=0;Xn<Lt;Xn++)Wi?B.framebufferTextureLayer(B.READ_FRAMEBUFFER,B.COLOR_ATTACHMENT0,ce.__webglTexture,$,de+Xn):B.framebufferTexture2D(B.READ_FRAMEBUFFER,B.COLOR_ATTACHMENT0,B.TEXTURE_2D,ce.__webglTexture,$),cs?B.framebufferTextureLayer(B.DRAW_FRAMEBUFFER,B.COLOR_ATTACHMENT0,Ke.__webglTexture,At,$e+Xn):B.framebufferTexture2D(B.DRAW_FRAMEBUFFER,B.COLOR_ATTACHMENT0,B.TEXTURE_2D,Ke.__webglTexture,At),$!==0?B.blitFramebuffer(kt,te,kt+It,te+Tt,Bt,fe,Bt+It,fe+Tt,B.COLOR_BUFFER_BIT,B.NEAREST):cs?B.copyTexSubImage3D(Ut,At,Bt,fe,$e+Xn,kt,te,It,Tt):B.copyTexSubImage2D(Ut,At,Bt,fe,kt,te,It,Tt);bt.bindFramebuffer(B.READ_FRAMEBUFFER,null),bt.bindFramebuffer(B.DRAW_FRAMEBUFFER,null)}else cs?A.isDataTexture||A.isData3DTexture?B.texSubImage3D(Ut,At,Bt,fe,$e,It,Tt,Lt,Ie,pn,Pe.data):k.isCompressedArrayTexture?B.compressedTexSubImage3D(Ut,At,Bt,fe,$e,It,Tt,Lt,Ie,Pe.data):B.texSubImage3D(Ut,At,Bt,fe,$e,It,Tt,Lt,Ie,pn,Pe):A.isDataTexture?B.texSubImage2D(B.TEXTURE_2D,At,Bt,fe,It,Tt,Ie,pn,Pe.data):A.isCompressedTexture?B.compressedTexSubImage2D(B.TEXTURE_2D,At,Bt,fe,Pe.width,Pe.height,Ie,Pe.data):B.texSubImage2D(B.TEXTURE_2D,At,Bt,fe,It,Tt,Ie,pn,Pe);bt.pixelStorei(B.UNPACK_ROW_LENGTH,rn),bt.pixelStorei(B.UNPACK_IMAGE_HEIGHT,me),bt.pixelStorei(B.UNPACK_SKIP_PIXELS,ls),bt.pixelStorei(B.UNPACK_SKIP_ROWS,on),bt.pixelStorei(B.UNPACK_SKIP_IMAGES,Ur),At===0&&k.generateMipmaps===!0&&k.mipmapsAutoUpdate===!0&&B.generateMipmap(Ut),bt.unbindTexture()},this.initRenderTarget=function(A){Vt.get(A).__webglFramebuffer===void 0&&Yt.setupRenderTarget(A)},this.initTexture=function(A){A.isCubeTexture?Yt.setTextureCube(A,0):A.isData3DTexture?Yt.setTexture3D(A,0):A.isDataArrayTexture||A.isCompressedArrayTexture?Yt.setTexture2DArray(A,0):Yt.setTexture2D(A,0),bt.unbindTexture()},this.resetState=function(){Y=0,G=0,lt=null,bt.reset(),St.reset()},typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}get coordinateSystem(){return Si}get outputColorSpace(){return this._outputColorSpace}set outputColorSpace(t){this._outputColorSpace=t;let e=this.getContext();e.drawingBufferColorSpace=ge._getDrawingBufferColorSpace(t),e.unpackColorSpace=ge._getUnpackColorSpace()}};var wh=["#2b3a67","#31688e","#21a585","#8fd744","#fde725"].map(i=>new zt(i)),$b=.55,Zb=200;function Jb(i){let t=Math.max(0,Math.min(1,i))*(wh.length-1),e=Math.min(Math.floor(t),wh.length-2);return new zt().lerpColors(wh[e],wh[e+1],t-e)}var Ah=class{mode="own";world;logs;times;partsOfBody;logRange;highestEnergy=null;constructor(t,e){this.world=t;let{residuals:n,scene:s}=t.data;this.logs=n?e.read(n.log):null,this.times=n?e.read(n.t):[],this.partsOfBody=s.bodies.map(()=>[]),n?.names.forEach((a,l)=>{let c=s.joints.find(u=>u.name===a),h=s.connectors.find(u=>u.name===a);for(let u of c?[c.parent,c.child]:h?.bodies??[])u>=0&&this.partsOfBody[u].push(l)});let[r,o]=[1/0,-1/0];for(let a=0;a<(this.logs?.length??0);a++)r=Math.min(r,this.logs[a]),o=Math.max(o,this.logs[a]);this.logRange=[r,o>r?o:r+1]}legend(){if(this.mode==="energy")return{title:"kinetic energy",low:"0",high:`${this.highest().toExponential(1)} J`};if(this.mode==="residual"){let[t,e]=this.logRange;return{title:"constraint residual",low:`1e${t.toFixed(0)}`,high:`1e${e.toFixed(0)}`}}return null}apply(t,e,n,s){let r=this.values(s),o=new zt(n),a=new zt(9081760);for(let l of t)l.paint((c,h)=>{let u=c.owner.kind==="body"?c.owner.index:-1,d=r&&u>=0?Jb(r[u]):h;return e.isAny?Kb(c,e)?new zt().lerpColors(d,o,.75):new zt().lerpColors(d,a,1-$b):d})}highest(){if(this.highestEnergy!==null)return this.highestEnergy;let{world:t}=this,{t:e}=t.motion.frames,n=Math.max(1,Math.floor(e.length/Zb)),s=[Float64Array.from(t.poses),Float64Array.from(t.rates)],r=0;for(let o=0;o<e.length;o+=n){t.moveTo(e[o]);for(let a=0;a<t.bodies;a++)r=Math.max(r,t.kineticEnergy(a))}return t.poses.set(s[0]),t.rates.set(s[1]),this.highestEnergy=r,r}values(t){let{world:e}=this;if(this.mode==="energy"){let n=e.data.scene.bodies.map((r,o)=>e.kineticEnergy(o)),s=this.highest()||1;return n.map(r=>Math.sqrt(r/s))}if(this.mode==="residual"&&this.logs&&e.data.residuals){let n=this.logs,s=e.data.residuals.names.length,r=yi(this.times,t)*s,[o,a]=this.logRange;return this.partsOfBody.map(l=>(l.reduce((h,u)=>Math.max(h,n[r+u]),o)-o)/(a-o))}return null}};function Kb(i,t){return i.owner.kind===t.kind&&i.owner.index===t.index}var Th=class{mesh;copies;local;base;constructor(t,e,n,s){this.copies=n,this.mesh=new dr(t,e,n.length),this.mesh.instanceMatrix.setUsage(Pd),this.mesh.frustumCulled=!1,this.mesh.castShadow=s,this.mesh.receiveShadow=s,this.local=new Float64Array(12*n.length),n.forEach((o,a)=>{ul(o.frame,0,this.local,12*a);for(let l=0;l<3;l++)for(let c=0;c<3;c++)this.local[12*a+4*l+c]*=o.size[c]}),this.base=n.map(o=>new zt(o.color));let r=new Float32Array(3*n.length);this.mesh.instanceColor=new ur(r,3),this.paint(()=>null)}place(t,e){let n=this.mesh.instanceMatrix.array;for(let s=0;s<this.copies.length;s++){let r=this.copies[s].body,o=r<0?e:t;jb(o,12*Math.max(0,r),this.local,12*s,n,16*s)}this.mesh.instanceMatrix.needsUpdate=!0,this.mesh.boundingSphere=null}paint(t){let e=this.mesh.instanceColor;this.copies.forEach((n,s)=>{let r=this.base[s];(t(n,r)??r).toArray(e.array,3*s)}),e.needsUpdate=!0}};function jb(i,t,e,n,s,r){for(let o=0;o<3;o++){let a=i[t+4*o],l=i[t+4*o+1],c=i[t+4*o+2];for(let h=0;h<4;h++)s[r+4*h+o]=a*e[n+h]+l*e[n+4+h]+c*e[n+8+h];s[r+12+o]+=i[t+4*o+3]}s[r+3]=s[r+7]=s[r+11]=0,s[r+15]=1}var Qb=1.6,tw={box:()=>new zs(1,1,1),sphere:()=>new yo(.5,24,16),"fine sphere":()=>new yo(.5,32,20),"coarse sphere":()=>wg(new xo(.5,1)),"coarsest sphere":()=>wg(new xo(.5,0)),"coarse cylinder":()=>new fr(.5,.5,1,7,1,!0).rotateX(Math.PI/2),cylinder:()=>new fr(.5,.5,1,40).rotateX(Math.PI/2),cone:()=>new ba(.5,1,24).rotateX(Math.PI/2),ring:()=>new Ta(.4,.1,10,36),coil:()=>jd(4)};function Eh(i){return tw[i]()}function wg(i){let t=i.getAttribute("position"),e=new U,n=new Float32Array(3*t.count);for(let s=0;s<t.count;s++)e.fromBufferAttribute(t,s).normalize().toArray(n,3*s);return i.setAttribute("normal",new hn(n,3)),i}function jd(i){let t=Math.round(Math.max(5,Math.min(16,Qb*i))),e=[new U(0,0,-.5*i)],n=t*12;for(let r=0;r<=n;r++){let o=2*Math.PI*t*r/n,a=i*(-.4+.8*r/n);e.push(new U(.45*Math.cos(o),.45*Math.sin(o),a))}return e.push(new U(0,0,.5*i)),new Ea(new _o(e),n*2,.075,7).scale(1,1,1/i)}function Ag(i,t,e){let n=new un;return n.setAttribute("position",new hn(i,3)),n.setIndex(new hn(t,1)),e?nw(n):(n.computeVertexNormals(),n)}var ew=Math.cos(40*Math.PI/180);function nw(i){let t=i.toNonIndexed(),e=i.getIndex(),n=t.getAttribute("position"),s=n.count/3,r=new Float32Array(3*s),o=new U,a=new U,l=new U,c=new Map;for(let u=0;u<s;u++){o.fromBufferAttribute(n,3*u),a.fromBufferAttribute(n,3*u+1).sub(o),l.fromBufferAttribute(n,3*u+2).sub(o),a.cross(l).toArray(r,3*u);for(let d=0;d<3;d++){let f=e.getX(3*u+d),g=c.get(f);g?g.push(u):c.set(f,[u])}}let h=new Float32Array(9*s);for(let u=0;u<s;u++){let d=new U().fromArray(r,3*u).normalize();for(let f=0;f<3;f++){let g=new U;for(let v of c.get(e.getX(3*u+f))??[]){let p=new U().fromArray(r,3*v);p.dot(d)>=ew*p.length()&&g.add(p)}g.normalize().toArray(h,9*u+3*f)}}return t.setAttribute("normal",new hn(h,3)),t}var Tg=3e3,iw=2e4,sw=.4;function br(i,t,e){let n=i.get(t);n?n.push(e):i.set(t,[e])}function Eg(i,t,e){let n=t.read(i.solids.facts),s=t.read(i.solids.size),r=t.read(i.solids.frame),o=t.read(i.solids.color);for(let a=0;a<o.length;a++){let[l,c,,h]=[0,1,2,3].map(f=>n[4*a+f]),u={body:l,frame:Array.from(r.subarray(7*a,7*a+7)),size:[s[3*a],s[3*a+1],s[3*a+2]],color:o[a],owner:{kind:l<0?"none":"body",index:l}},d=yp[c];d==="capsule"?rw(e,u):br(e,d==="mesh"?`mesh/${h}`:d,u)}}function rw(i,t){let[e,n,s]=t.frame,[r,,o]=t.size;br(i,"cylinder",t);for(let a of[-.5,.5]){let l=Ln(t.frame.slice(3),[0,0,a*o]),c=[e+l[0],n+l[1],s+l[2],1,0,0,0];br(i,"sphere",{...t,frame:c,size:[r,r,r]})}}function Cg(i,t,e){let n=i.particles;if(!n)return;let s=t.read(n.body),r=t.read(n.position),o=t.read(n.radius),a=t.read(n.kind),l=t.read(n.bonds),c=n.colors.map(d=>parseInt(d.slice(1),16)),h=i.colors.map(d=>parseInt(d.slice(1),16)),u=d=>[r[3*d],r[3*d+1],r[3*d+2]];for(let d=0;d<s.length;d++){let f=2*o[d];br(e,"sphere",{body:s[d],frame:[...u(d),1,0,0,0],size:[f,f,f],color:c.length>1?c[a[d]]:h[s[d]],owner:{kind:"body",index:s[d]}})}for(let d=0;d<l.length;d+=2){let[f,g]=[u(l[d]),u(l[d+1])],v=Tn(g,f),p=Se(f,v.map(y=>y/2)),m=2*sw*o[l[d]];br(e,"cylinder",{body:s[l[d]],frame:[...p,...Is(v)],size:[m,m,In(v)],color:12173513,owner:{kind:"body",index:s[l[d]]}})}}function Rg(i,t,e){let s=[...e.values()].reduce((o,a)=>o+a.length,0)>Tg,r=s?new Pa:new mr({roughness:.5,metalness:.05});return[...e].map(([o,a])=>new Th(aw(o,a,i,t),r,a,!s))}function ow(i,t){return t<=Tg?i:i==="cylinder"?"coarse cylinder":i!=="sphere"?i:t>iw?"coarsest sphere":"coarse sphere"}function aw(i,t,e,n){if(!i.startsWith("mesh/"))return Eh(ow(i,t.length));let s=e.meshes[Number(i.slice(5))],r=n.read(s.vertices),o=n.read(s.triangles);return Ag(r,o,!0)}var Ch=5858159,Qd=13620957,lw=8226707;function Pg(i,t){i.joints.forEach((e,n)=>{if(e.kind==="free"||e.kind==="translation")return;let s={body:e.parent,frame:e.onParent,index:n},r=i.thickness;if((e.parent<0||e.child<0)&&hw(t,e,s,r),e.kind==="ball"||e.kind==="gimbal")$s(t,s,"sphere",[0,0,1],0,[2.7*r,2.7*r,2.7*r],Ch);else if(e.kind==="weld")$s(t,s,"box",[0,0,1],0,[1.6*r,1.6*r,1.6*r],Ch);else if(e.kind==="planar"){let o=e.axes[2].axis;$s(t,s,"cylinder",o,0,[7*r,7*r,.3*r],Qd)}else for(let o of e.axes)cw(t,s,o,r)})}function cw(i,t,e,n){let s={...t,frame:uw(t.frame,e.at)};if(e.kind==="slide"){$s(i,s,"box",e.axis,0,[2.5*n,2.5*n,3.6*n],Ch);return}$s(i,s,"cylinder",e.axis,0,[1.5*n,1.5*n,3*n],Ch);for(let r of[-1.5,1.5])$s(i,s,"cylinder",e.axis,r*n,[1.9*n,1.9*n,.3*n],Qd);if(e.kind==="screw")for(let r of[-.8,0,.8])$s(i,s,"ring",e.axis,r*n,[2.6*n,2.6*n,2.6*n],Qd)}function hw(i,t,e,n){let s=t.axes.find(r=>r.kind!=="slide")?.axis??[0,0,1];t.kind!=="planar"&&$s(i,e,"cylinder",s,0,[3.4*n,3.4*n,1.5*n],lw)}function $s(i,t,e,n,s,r,o){let a=t.frame.slice(3),l=Ln(a,xe(s,n)),c=[...Se(t.frame,l),...Hr(a,Is(n))];br(i,e,{body:t.body,frame:c,size:r,color:o,owner:{kind:"joint",index:t.index}})}function uw(i,t){let e=Ln(i.slice(3),t);return[...Se(i,e),...i.slice(3)]}var tf=10135477,Ig=6121588,dw={spring:[{shape:"coil",width:3.8,from:0,to:1,color:tf}],constant_force_spring:[{shape:"coil",width:2.4,from:0,to:1,color:13214812}],damper:[{shape:"cylinder",width:.7,from:0,to:1,color:tf},{shape:"cylinder",width:2.2,from:.3,to:.7,color:Ig}],cable:[{shape:"cylinder",width:.45,from:0,to:1,color:13214812}],rod:[{shape:"cylinder",width:1,from:0,to:1,color:tf}]},fw=[{shape:"cylinder",width:.4,from:0,to:1,color:Ig}],Ka=class{mesh;matrix=new ve;quaternion=new ni;constructor(t,e,n=!0,s=4){let r=new mr({roughness:.5,metalness:.1});this.mesh=new dr(t==="coil"?jd(s):Eh(t),r,e),this.mesh.frustumCulled=!1,this.mesh.castShadow=n;for(let o=0;o<e;o++)this.mesh.setColorAt(o,new zt(16777215))}color(t,e){this.mesh.setColorAt(t,new zt(e)),this.mesh.instanceColor&&(this.mesh.instanceColor.needsUpdate=!0)}put(t,e,n,s){let r=Tn(n,e),o=In(r),a=Se(e,r.map(f=>f/2)),[l,c,h,u]=Is(r),d=o>0&&s>0?1:0;this.matrix.compose(new U(...a),this.quaternion.set(c,h,u,l),new U(s*d,s*d,o*d)),this.mesh.setMatrixAt(t,this.matrix),this.mesh.instanceMatrix.needsUpdate=!0}},Rh=class{group=new Cn;parts=[];thickness;constructor(t,e){this.thickness=t.thickness;let n=t.connectors.flatMap(r=>(dw[r.kind]??fw).map(o=>({connector:r,part:o}))),s=new Map;for(let r of n)s.set(r.part.shape,[...s.get(r.part.shape)??[],r]);for(let[r,o]of s){let a=o.map(({connector:h,part:u})=>{let[d,f]=h.points.map((g,v)=>e(h.bodies[v],g));return In(Tn(f,d))/(u.width*this.thickness)}),l=Math.max(1,a.sort((h,u)=>h-u)[a.length>>1]),c=new Ka(r,o.length,!0,l);this.group.add(c.mesh),o.forEach((h,u)=>{c.color(u,h.part.color),this.parts.push({stretched:c,at:u,...h})})}}place(t){for(let{stretched:e,at:n,connector:s,part:r}of this.parts){let[o,a]=s.points.map((h,u)=>t(s.bodies[u],h)),l=Tn(a,o),c=h=>Se(o,l.map(u=>h*u));e.put(n,c(r.from),c(r.to),r.width*this.thickness)}}},pw=.24,Ro=class{group=new Cn;count;shafts;heads;width;constructor(t,e,n){this.count=t,this.width=e,this.shafts=new Ka("cylinder",t,!1),this.heads=new Ka("cone",t,!1);for(let s=0;s<t;s++){let r=typeof n=="number"?n:n(s);this.shafts.color(s,r),this.heads.color(s,r)}this.group.add(this.shafts.mesh,this.heads.mesh)}put(t,e,n){let s=In(n),r=Math.min(pw*s,6*this.width),o=s>0?1-r/s:0,a=Se(e,n.map(l=>o*l));this.shafts.put(t,e,a,this.width),this.heads.put(t,a,Se(e,n),s>0?Math.min(3.2*this.width,r):0)}};var Lg=new jn,Ph=new U,Po=class extends Ua{constructor(){super(),this.isLineSegmentsGeometry=!0,this.type="LineSegmentsGeometry";let t=[-1,2,0,1,2,0,-1,1,0,1,1,0,-1,0,0,1,0,0,-1,-1,0,1,-1,0],e=[-1,2,1,2,-1,1,1,1,-1,-1,1,-1,-1,-2,1,-2],n=[0,2,1,2,3,1,2,4,3,4,5,3,4,6,5,6,7,5];this.setIndex(n),this.setAttribute("position",new Me(t,3)),this.setAttribute("uv",new Me(e,2))}applyMatrix4(t){let e=this.attributes.instanceStart,n=this.attributes.instanceEnd;return e!==void 0&&(e.applyMatrix4(t),n.applyMatrix4(t),e.needsUpdate=!0),this.boundingBox!==null&&this.computeBoundingBox(),this.boundingSphere!==null&&this.computeBoundingSphere(),this}setPositions(t){let e;t instanceof Float32Array?e=t:Array.isArray(t)&&(e=new Float32Array(t));let n=new Ws(e,6,1);return this.setAttribute("instanceStart",new Ni(n,3,0)),this.setAttribute("instanceEnd",new Ni(n,3,3)),this.instanceCount=this.attributes.instanceStart.count,this.computeBoundingBox(),this.computeBoundingSphere(),this}setColors(t){let e;t instanceof Float32Array?e=t:Array.isArray(t)&&(e=new Float32Array(t));let n=new Ws(e,6,1);return this.setAttribute("instanceColorStart",new Ni(n,3,0)),this.setAttribute("instanceColorEnd",new Ni(n,3,3)),this}fromWireframeGeometry(t){return this.setPositions(t.attributes.position.array),this}fromEdgesGeometry(t){return this.setPositions(t.attributes.position.array),this}fromMesh(t){return this.fromWireframeGeometry(new Ca(t.geometry)),this}fromLineSegments(t){let e=t.geometry;return this.setPositions(e.attributes.position.array),this}computeBoundingBox(){this.boundingBox===null&&(this.boundingBox=new jn);let t=this.attributes.instanceStart,e=this.attributes.instanceEnd;t!==void 0&&e!==void 0&&(this.boundingBox.setFromBufferAttribute(t),Lg.setFromBufferAttribute(e),this.boundingBox.union(Lg))}computeBoundingSphere(){this.boundingSphere===null&&(this.boundingSphere=new di),this.boundingBox===null&&this.computeBoundingBox();let t=this.attributes.instanceStart,e=this.attributes.instanceEnd;if(t!==void 0&&e!==void 0){let n=this.boundingSphere.center;this.boundingBox.getCenter(n);let s=0;for(let r=0,o=t.count;r<o;r++)Ph.fromBufferAttribute(t,r),s=Math.max(s,n.distanceToSquared(Ph)),Ph.fromBufferAttribute(e,r),s=Math.max(s,n.distanceToSquared(Ph));this.boundingSphere.radius=Math.sqrt(s),isNaN(this.boundingSphere.radius)&&console.error("THREE.LineSegmentsGeometry.computeBoundingSphere(): Computed radius is NaN. The instanced position data is likely to have NaN values.",this)}}toJSON(){}};Pt.line={worldUnits:{value:1},linewidth:{value:1},resolution:{value:new Gt},dashOffset:{value:0},dashScale:{value:1},dashSize:{value:1},gapSize:{value:1}};ti.line={uniforms:qa.merge([Pt.common,Pt.fog,Pt.line]),vertexShader:`
		#include <common>
		#include <color_pars_vertex>
		#include <fog_pars_vertex>
		#include <logdepthbuf_pars_vertex>
		#include <clipping_planes_pars_vertex>

		uniform float linewidth;
		uniform vec2 resolution;

		attribute vec3 instanceStart;
		attribute vec3 instanceEnd;

		attribute vec3 instanceColorStart;
		attribute vec3 instanceColorEnd;

		#ifdef WORLD_UNITS

			varying vec4 worldPos;
			varying vec3 worldStart;
			varying vec3 worldEnd;

			#ifdef USE_DASH

				varying vec2 vUv;

			#endif

		#else

			varying vec2 vUv;

		#endif

		#ifdef USE_DASH

			uniform float dashScale;
			attribute float instanceDistanceStart;
			attribute float instanceDistanceEnd;
			varying float vLineDistance;

		#endif

		float trimSegmentAlpha( const in vec4 start, const in vec4 end ) {

			// compute the interpolation factor needed to trim the segment so it terminates
			// between the camera plane and the near plane

			// conservative estimate of the near plane
			float a = projectionMatrix[ 2 ][ 2 ]; // 3nd entry in 3th column
			float b = projectionMatrix[ 3 ][ 2 ]; // 3nd entry in 4th column

			// we need different nearEstimate formula for reversed and default depth buffer
			// a is positive with a reversed depth buffer so it can be used for controlling the code flow
			float nearEstimate = ( a > 0.0 ) ? ( - b / ( a + 1.0 ) ) : ( - 0.5 * b / a );

			return ( nearEstimate - start.z ) / ( end.z - start.z );

		}

		void main() {

			#ifdef USE_COLOR

				vColor.xyz = ( position.y < 0.5 ) ? instanceColorStart : instanceColorEnd;

			#endif

			float aspect = resolution.x / resolution.y;

			// camera space
			vec4 start = modelViewMatrix * vec4( instanceStart, 1.0 );
			vec4 end = modelViewMatrix * vec4( instanceEnd, 1.0 );

			#ifdef USE_DASH

				float lineDistanceStart = dashScale * instanceDistanceStart;
				float lineDistanceEnd = dashScale * instanceDistanceEnd;

			#endif

			#ifdef WORLD_UNITS

				worldStart = start.xyz;
				worldEnd = end.xyz;

			#else

				vUv = uv;

			#endif

			// special case for perspective projection, and segments that terminate either in, or behind, the camera plane
			// clearly the gpu firmware has a way of addressing this issue when projecting into ndc space
			// but we need to perform ndc-space calculations in the shader, so we must address this issue directly
			// perhaps there is a more elegant solution -- WestLangley

			bool perspective = ( projectionMatrix[ 2 ][ 3 ] == - 1.0 ); // 4th entry in the 3rd column

			if ( perspective ) {

				if ( start.z < 0.0 && end.z >= 0.0 ) {

					float alpha = trimSegmentAlpha( start, end );
					end.xyz = mix( start.xyz, end.xyz, alpha );

					#ifdef USE_DASH

						lineDistanceEnd = mix( lineDistanceStart, lineDistanceEnd, alpha );

					#endif

				} else if ( end.z < 0.0 && start.z >= 0.0 ) {

					float alpha = trimSegmentAlpha( end, start );
					start.xyz = mix( end.xyz, start.xyz, alpha );

					#ifdef USE_DASH

						lineDistanceStart = mix( lineDistanceEnd, lineDistanceStart, alpha );

					#endif

				}

			}

			#ifdef USE_DASH

				vLineDistance = ( position.y < 0.5 ) ? lineDistanceStart : lineDistanceEnd;
				vUv = uv;

			#endif

			// clip space
			vec4 clipStart = projectionMatrix * start;
			vec4 clipEnd = projectionMatrix * end;

			// ndc space
			vec3 ndcStart = clipStart.xyz / clipStart.w;
			vec3 ndcEnd = clipEnd.xyz / clipEnd.w;

			// direction
			vec2 dir = ndcEnd.xy - ndcStart.xy;

			// account for clip-space aspect ratio
			dir.x *= aspect;
			dir = normalize( dir );

			#ifdef WORLD_UNITS

				vec3 worldDir = normalize( end.xyz - start.xyz );
				vec3 tmpFwd = perspective ? normalize( mix( start.xyz, end.xyz, 0.5 ) ) : vec3( 0.0, 0.0, - 1.0 );
				vec3 worldUp = normalize( cross( worldDir, tmpFwd ) );
				vec3 worldFwd = cross( worldDir, worldUp );
				worldPos = position.y < 0.5 ? start: end;

				// height offset
				float hw = linewidth * 0.5;
				worldPos.xyz += position.x < 0.0 ? hw * worldUp : - hw * worldUp;

				// don't extend the line if we're rendering dashes because we
				// won't be rendering the endcaps
				#ifndef USE_DASH

					// cap extension
					worldPos.xyz += position.y < 0.5 ? - hw * worldDir : hw * worldDir;

					// add width to the box
					worldPos.xyz += worldFwd * hw;

					// endcaps
					if ( position.y > 1.0 || position.y < 0.0 ) {

						worldPos.xyz -= worldFwd * 2.0 * hw;

					}

				#endif

				// project the worldpos
				vec4 clip = projectionMatrix * worldPos;

				// shift the depth of the projected points so the line
				// segments overlap neatly
				vec3 clipPose = ( position.y < 0.5 ) ? ndcStart : ndcEnd;

				// only shift the depth of vertices in front of the camera (#35137)
				if ( clip.w > 0.0 ) clip.z = clipPose.z * clip.w;

			#else

				vec2 offset = vec2( dir.y, - dir.x );
				// undo aspect ratio adjustment
				dir.x /= aspect;
				offset.x /= aspect;

				// sign flip
				if ( position.x < 0.0 ) offset *= - 1.0;

				// endcaps
				if ( position.y < 0.0 ) {

					offset += - dir;

				} else if ( position.y > 1.0 ) {

					offset += dir;

				}

				// adjust for linewidth
				offset *= linewidth;

				// adjust for clip-space to screen-space conversion // maybe resolution should be based on viewport ...
				offset /= resolution.y;

				// select end
				vec4 clip = ( position.y < 0.5 ) ? clipStart : clipEnd;

				// back to clip space
				offset *= clip.w;

				clip.xy += offset;

			#endif

			gl_Position = clip;

			vec4 mvPosition = ( position.y < 0.5 ) ? start : end; // this is an approximation

			#include <logdepthbuf_vertex>
			#include <clipping_planes_vertex>
			#include <fog_vertex>

		}
		`,fragmentShader:`
		uniform vec3 diffuse;
		uniform float opacity;
		uniform float linewidth;

		#ifdef USE_DASH

			uniform float dashOffset;
			uniform float dashSize;
			uniform float gapSize;

		#endif

		varying float vLineDistance;

		#ifdef WORLD_UNITS

			varying vec4 worldPos;
			varying vec3 worldStart;
			varying vec3 worldEnd;

			#ifdef USE_DASH

				varying vec2 vUv;

			#endif

		#else

			varying vec2 vUv;

		#endif

		#include <common>
		#include <color_pars_fragment>
		#include <fog_pars_fragment>
		#include <logdepthbuf_pars_fragment>
		#include <clipping_planes_pars_fragment>

		vec2 closestLineToLine(vec3 p1, vec3 p2, vec3 p3, vec3 p4) {

			float mua;
			float mub;

			vec3 p13 = p1 - p3;
			vec3 p43 = p4 - p3;

			vec3 p21 = p2 - p1;

			float d1343 = dot( p13, p43 );
			float d4321 = dot( p43, p21 );
			float d1321 = dot( p13, p21 );
			float d4343 = dot( p43, p43 );
			float d2121 = dot( p21, p21 );

			float denom = d2121 * d4343 - d4321 * d4321;

			float numer = d1343 * d4321 - d1321 * d4343;

			mua = numer / denom;
			mua = clamp( mua, 0.0, 1.0 );
			mub = ( d1343 + d4321 * ( mua ) ) / d4343;
			mub = clamp( mub, 0.0, 1.0 );

			return vec2( mua, mub );

		}

		void main() {

			float alpha = opacity;
			vec4 diffuseColor = vec4( diffuse, alpha );

			#include <clipping_planes_fragment>

			#ifdef USE_DASH

				if ( vUv.y < - 1.0 || vUv.y > 1.0 ) discard; // discard endcaps

				if ( mod( vLineDistance + dashOffset, dashSize + gapSize ) > dashSize ) discard; // todo - FIX

			#endif

			#ifdef WORLD_UNITS

				float len;

				if ( isOrthographic ) {

					// View rays are parallel to the z axis so the distance reduces to camera-space XY
					vec2 lineDir = worldEnd.xy - worldStart.xy;
					float t = clamp( dot( worldPos.xy - worldStart.xy, lineDir ) / dot( lineDir, lineDir ), 0.0, 1.0 );
					len = length( worldStart.xy + lineDir * t - worldPos.xy );

				} else {

					// Find the closest points on the view ray and the line segment
					vec3 rayEnd = normalize( worldPos.xyz ) * 1e5;
					vec3 lineDir = worldEnd - worldStart;
					vec2 params = closestLineToLine( worldStart, worldEnd, vec3( 0.0, 0.0, 0.0 ), rayEnd );

					vec3 p1 = worldStart + lineDir * params.x;
					vec3 p2 = rayEnd * params.y;
					vec3 delta = p1 - p2;
					len = length( delta );

				}

				float norm = len / linewidth;

				#ifndef USE_DASH

					#ifdef USE_ALPHA_TO_COVERAGE

						float dnorm = fwidth( norm );
						alpha = 1.0 - smoothstep( 0.5 - dnorm, 0.5 + dnorm, norm );

					#else

						if ( norm > 0.5 ) {

							discard;

						}

					#endif

				#endif

			#else

				#ifdef USE_ALPHA_TO_COVERAGE

					// artifacts appear on some hardware if a derivative is taken within a conditional
					float a = vUv.x;
					float b = ( vUv.y > 0.0 ) ? vUv.y - 1.0 : vUv.y + 1.0;
					float len2 = a * a + b * b;
					float dlen = fwidth( len2 );

					if ( abs( vUv.y ) > 1.0 ) {

						alpha = 1.0 - smoothstep( 1.0 - dlen, 1.0 + dlen, len2 );

					}

				#else

					if ( abs( vUv.y ) > 1.0 ) {

						float a = vUv.x;
						float b = ( vUv.y > 0.0 ) ? vUv.y - 1.0 : vUv.y + 1.0;
						float len2 = a * a + b * b;

						if ( len2 > 1.0 ) discard;

					}

				#endif

			#endif

			#include <logdepthbuf_fragment>
			#include <color_fragment>

			gl_FragColor = vec4( diffuseColor.rgb, alpha );

			#include <tonemapping_fragment>
			#include <colorspace_fragment>
			#include <fog_fragment>
			#include <premultiplied_alpha_fragment>

		}
		`};var Zs=class extends bi{constructor(t){super({type:"LineMaterial",uniforms:qa.clone(ti.line.uniforms),vertexShader:ti.line.vertexShader,fragmentShader:ti.line.fragmentShader,clipping:!0}),this.isLineMaterial=!0,this.setValues(t)}get color(){return this.uniforms.diffuse.value}set color(t){this.uniforms.diffuse.value=t}get worldUnits(){return"WORLD_UNITS"in this.defines}set worldUnits(t){t===!0!==this.worldUnits&&(this.needsUpdate=!0),t===!0?this.defines.WORLD_UNITS="":delete this.defines.WORLD_UNITS}get linewidth(){return this.uniforms.linewidth.value}set linewidth(t){this.uniforms.linewidth&&(this.uniforms.linewidth.value=t)}get dashed(){return"USE_DASH"in this.defines}set dashed(t){t===!0!==this.dashed&&(this.needsUpdate=!0),t===!0?this.defines.USE_DASH="":delete this.defines.USE_DASH}get dashScale(){return this.uniforms.dashScale.value}set dashScale(t){this.uniforms.dashScale.value=t}get dashSize(){return this.uniforms.dashSize.value}set dashSize(t){this.uniforms.dashSize.value=t}get dashOffset(){return this.uniforms.dashOffset.value}set dashOffset(t){this.uniforms.dashOffset.value=t}get gapSize(){return this.uniforms.gapSize.value}set gapSize(t){this.uniforms.gapSize.value=t}get opacity(){return this.uniforms.opacity.value}set opacity(t){this.uniforms&&(this.uniforms.opacity.value=t)}get resolution(){return this.uniforms.resolution.value}set resolution(t){this.uniforms.resolution.value.copy(t)}get alphaToCoverage(){return"USE_ALPHA_TO_COVERAGE"in this.defines}set alphaToCoverage(t){this.defines&&(t===!0!==this.alphaToCoverage&&(this.needsUpdate=!0),t===!0?this.defines.USE_ALPHA_TO_COVERAGE="":delete this.defines.USE_ALPHA_TO_COVERAGE)}};var ef=new Ce,Dg=new U,Ng=new U,Nn=new Ce,Un=new Ce,ns=new Ce,nf=new U,sf=new ve,Fn=new Oa,Ug=new U,Ih=new jn,Lh=new di,is=new Ce,ss,wr;function Fg(i,t,e){return is.set(0,0,-t,1).applyMatrix4(i.projectionMatrix),is.multiplyScalar(1/is.w),is.x=wr/e.width,is.y=wr/e.height,is.applyMatrix4(i.projectionMatrixInverse),is.multiplyScalar(1/is.w),Math.abs(Math.max(is.x,is.y))}function mw(i,t){let e=i.matrixWorld,n=i.geometry,s=n.attributes.instanceStart,r=n.attributes.instanceEnd,o=Math.min(n.instanceCount,s.count);for(let a=0,l=o;a<l;a++){Fn.start.fromBufferAttribute(s,a),Fn.end.fromBufferAttribute(r,a),Fn.applyMatrix4(e);let c=new U,h=new U;ss.distanceSqToSegment(Fn.start,Fn.end,h,c),h.distanceTo(c)<wr*.5&&t.push({point:h,pointOnLine:c,distance:ss.origin.distanceTo(h),object:i,face:null,faceIndex:a,uv:null,uv1:null})}}function gw(i,t,e){let n=t.projectionMatrix,r=i.material.resolution,o=i.matrixWorld,a=i.geometry,l=a.attributes.instanceStart,c=a.attributes.instanceEnd,h=Math.min(a.instanceCount,l.count),u=-t.near;ss.at(1,ns),ns.w=1,ns.applyMatrix4(t.matrixWorldInverse),ns.applyMatrix4(n),ns.multiplyScalar(1/ns.w),ns.x*=r.x/2,ns.y*=r.y/2,ns.z=0,nf.copy(ns),sf.multiplyMatrices(t.matrixWorldInverse,o);for(let d=0,f=h;d<f;d++){if(Nn.fromBufferAttribute(l,d),Un.fromBufferAttribute(c,d),Nn.w=1,Un.w=1,Nn.applyMatrix4(sf),Un.applyMatrix4(sf),Nn.z>u&&Un.z>u)continue;if(Nn.z>u){let T=Nn.z-Un.z,S=(Nn.z-u)/T;Nn.lerp(Un,S)}else if(Un.z>u){let T=Un.z-Nn.z,S=(Un.z-u)/T;Un.lerp(Nn,S)}Nn.applyMatrix4(n),Un.applyMatrix4(n),Nn.multiplyScalar(1/Nn.w),Un.multiplyScalar(1/Un.w),Nn.x*=r.x/2,Nn.y*=r.y/2,Un.x*=r.x/2,Un.y*=r.y/2,Fn.start.copy(Nn),Fn.start.z=0,Fn.end.copy(Un),Fn.end.z=0;let v=Fn.closestPointToPointParameter(nf,!0);Fn.at(v,Ug);let p=Fd.lerp(Nn.z,Un.z,v),m=p>=-1&&p<=1,y=nf.distanceTo(Ug)<wr*.5;if(m&&y){Fn.start.fromBufferAttribute(l,d),Fn.end.fromBufferAttribute(c,d),Fn.start.applyMatrix4(o),Fn.end.applyMatrix4(o);let T=new U,S=new U;ss.distanceSqToSegment(Fn.start,Fn.end,S,T),e.push({point:S,pointOnLine:T,distance:ss.origin.distanceTo(S),object:i,face:null,faceIndex:d,uv:null,uv1:null})}}}var Dh=class extends Gn{constructor(t=new Po,e=new Zs({color:Math.random()*16777215})){super(t,e),this.isLineSegments2=!0,this.type="LineSegments2"}computeLineDistances(){let t=this.geometry,e=t.attributes.instanceStart,n=t.attributes.instanceEnd,s=new Float32Array(2*e.count);for(let o=0,a=0,l=e.count;o<l;o++,a+=2)Dg.fromBufferAttribute(e,o),Ng.fromBufferAttribute(n,o),s[a]=a===0?0:s[a-1],s[a+1]=s[a]+Dg.distanceTo(Ng);let r=new Ws(s,2,1);return t.setAttribute("instanceDistanceStart",new Ni(r,1,0)),t.setAttribute("instanceDistanceEnd",new Ni(r,1,1)),this}raycast(t,e){let n=this.material.worldUnits,s=t.camera;if(s===null&&!n&&console.error('LineSegments2: "Raycaster.camera" needs to be set in order to raycast against LineSegments2 while worldUnits is set to false.'),n===!1&&(this.material.resolution.x===0||this.material.resolution.y===0))return;let r=t.params.Line2!==void 0&&t.params.Line2.threshold||0;ss=t.ray;let o=this.matrixWorld,a=this.geometry,l=this.material;wr=l.linewidth+r,a.boundingSphere===null&&a.computeBoundingSphere(),Lh.copy(a.boundingSphere).applyMatrix4(o);let c;if(n)c=wr*.5;else{let u=Math.max(s.near,Lh.distanceToPoint(ss.origin));c=Fg(s,u,l.resolution)}if(Lh.radius+=c,ss.intersectsSphere(Lh)===!1)return;a.boundingBox===null&&a.computeBoundingBox(),Ih.copy(a.boundingBox).applyMatrix4(o);let h;if(n)h=wr*.5;else{let u=Math.max(s.near,Ih.distanceToPoint(ss.origin));h=Fg(s,u,l.resolution)}Ih.expandByScalar(h),ss.intersectsBox(Ih)!==!1&&(n?mw(this,e):gw(this,s,e))}onBeforeRender(t){let e=this.material.uniforms;e&&e.resolution&&(t.getViewport(ef),this.material.uniforms.resolution.value.set(ef.z,ef.w))}};var Ar=class extends Po{constructor(){super(),this.isLineGeometry=!0,this.type="LineGeometry"}setPositions(t){let e=t.length-3,n=new Float32Array(2*e);for(let s=0;s<e;s+=3)n[2*s]=t[s],n[2*s+1]=t[s+1],n[2*s+2]=t[s+2],n[2*s+3]=t[s+3],n[2*s+4]=t[s+4],n[2*s+5]=t[s+5];return super.setPositions(n),this}setColors(t){let e=t.length-3,n=new Float32Array(2*e);for(let s=0;s<e;s+=3)n[2*s]=t[s],n[2*s+1]=t[s+1],n[2*s+2]=t[s+2],n[2*s+3]=t[s+3],n[2*s+4]=t[s+4],n[2*s+5]=t[s+5];return super.setColors(n),this}setFromPoints(t){let e=t.length-1,n=new Float32Array(6*e);for(let s=0;s<e;s++)n[6*s]=t[s].x,n[6*s+1]=t[s].y,n[6*s+2]=t[s].z||0,n[6*s+3]=t[s+1].x,n[6*s+4]=t[s+1].y,n[6*s+5]=t[s+1].z||0;return super.setPositions(n),this}fromLine(t){let e=t.geometry;return this.setPositions(e.attributes.position.array),this}};var Nh=class extends Dh{constructor(t=new Ar,e=new Zs({color:Math.random()*16777215})){super(t,e),this.isLine2=!0,this.type="Line2"}};var kg={at:[0,0,0],turn:[1,0,0,0]};function Og(i){return{at:[i[0],i[1],i[2]],turn:[i[3],i[4],i[5],i[6]]}}function ja(i,t){return{at:Se(i.at,Ln(i.turn,t.at)),turn:Hr(i.turn,t.turn)}}function Bg(i){let t=cp(i.turn);return{at:xe(-1,Ln(t,i.at)),turn:t}}function _w(i,t,e){let n=In(i);if(n===0)return{at:xe(e,t),turn:[1,0,0,0]};let s=hp(i,n*e),r=xe(1/n**2,ir(i,t)),o=xe(mn(i,t)/n**2*e,i);return{at:Se(Se(r,xe(-1,Ln(s,r))),o),turn:s}}function xw(i,t){let e=kg;for(let n of i.axes){let s=n.ratio*t[n.row]+n.offset;e=ja(e,_w(n.angular,n.linear,s))}if(i.ball!==null){let n=i.ball,s=Math.hypot(t[n],t[n+1],t[n+2],t[n+3])||1,r=[0,1,2,3].map(o=>t[n+o]/s);e=ja(e,{at:[0,0,0],turn:r})}return e}function zg(i,t,e){let n=[];for(let s of i.joints){let r=s.inner<0?kg:n[s.inner],o=ja(ja(Og(s.onParent),xw(s,t)),Bg(Og(s.onChild))),a=ja(r,s.reversed?Bg(o):o);n[s.body]=a,e.set([...a.at,...a.turn],7*s.body)}}var yw=160,vw=2e4,Fh=.22,Uh=class{data;bodies;motion;poses;rates;matrices;ground=new Float64Array(12);centres;reach;q;constructor(t,e){this.data=t,this.bodies=t.scene.bodies.length,this.centres=e.read(t.scene.centres),this.reach=e.read(t.scene.reach);let{t:n,position:s,quaternion:r,velocity:o,omega:a,smooth:l}=t.motion,c=new Float64Array(0),h=u=>u?e.read(u):c;this.motion=new pl({t:e.read(n),position:h(s),quaternion:h(r),velocity:h(o),omega:h(a),isSmooth:l??!1},this.bodies),this.poses=new Float64Array(7*this.bodies),this.rates=new Float64Array(6*this.bodies),this.matrices=new Float64Array(12*this.bodies),this.q=t.kinematics?Float64Array.from(t.kinematics.start):null,this.moveTo(this.motion.start)}moveTo(t){this.q&&this.data.kinematics?zg(this.data.kinematics,this.q,this.poses):this.bodies&&(this.motion.poses(t,this.poses),this.motion.rates(t,this.rates))}writeMatrices(t){for(let e=0;e<this.bodies;e++){ul(this.poses,7*e,this.matrices,12*e);for(let n=0;n<3;n++)this.matrices[12*e+4*n+3]-=t[n]}this.ground.set([1,0,0,-t[0],0,1,0,-t[1],0,0,1,-t[2]])}point(t,e){if(t<0)return[e[0],e[1],e[2]];let n=this.poses.subarray(7*t,7*t+7);return Se(n,Ln(n.subarray(3),e))}centre(t){return this.point(t,this.localCentre(t))}localCentre(t){return[this.centres[3*t],this.centres[3*t+1],this.centres[3*t+2]]}middle(){let t=[0,0,0];for(let e=0;e<this.bodies;e++)t=Se(t,this.centre(e));return[0,1,2].map(e=>t[e]/Math.max(1,this.bodies))}momentum(t){let e=this.data.cards[t]?.mass??0,n=this.velocity(t);return[e*n[0],e*n[1],e*n[2]]}velocity(t){let[e,n,s,r,o,a]=this.rates.subarray(6*t,6*t+6),l=this.poses.subarray(7*t,7*t+7),[c,h,u]=Ln(l.subarray(3),this.localCentre(t));return[e+o*u-a*h,n+a*c-r*u,s+r*h-o*c]}kineticEnergy(t){let e=this.data.cards[t];if(!e)return 0;let n=this.velocity(t),[s,r,o,a]=this.poses.subarray(7*t+3,7*t+7),l=Ln([s,-r,-o,-a],this.rates.subarray(6*t+3,6*t+6)),c=e.inertia.map(h=>mn(h,l));return .5*(e.mass*mn(n,n)+mn(l,c))}balls(t){let{t:e}=this.motion.frames,n=Math.max(2,Math.floor(vw/Math.max(1,this.bodies))),s=t?Math.min(e.length,yw,n):1,r=[];for(let o=0;o<s;o++){this.moveTo(e[s>1?Math.round(o*(e.length-1)/(s-1)):0]);for(let a=0;a<this.bodies;a++)r.push(...this.ballsOf(a))}this.moveTo(this.motion.start);for(let o of this.data.scene.loads){let a=o.force?Fh*this.data.scene.size:0;r.push({centre:this.point(o.body,o.at),radius:a})}return r.push(...this.groundPoints().map(o=>({centre:o,radius:this.data.scene.thickness}))),r.length?r:[{centre:[0,0,0],radius:1}]}groundPoints(){let{joints:t,connectors:e}=this.data.scene;return[...t.filter(s=>s.kind!=="free"&&s.kind!=="translation").filter(s=>s.parent<0).map(s=>s.onParent.slice(0,3)),...e.flatMap(({bodies:s,points:r})=>r.filter((o,a)=>s[a]<0))]}ballsOf(t){let e=this.centre(t),n=Math.hypot(...this.localCentre(t)),s=this.reach[t],r=Math.max(s-n,0),o=[0,1,2].map(a=>this.poses[7*t+a]);return[{centre:e,radius:r},{centre:o,radius:0}]}};var Vg=160,Sw=[14702159,5813096,5214176],Oh=class{line;body;color;material=new Zs({vertexColors:!0,linewidth:2.2});constructor(t,e){this.body=t,this.color=new zt(e),this.line=new Nh(new Ar,this.material),this.line.frustumCulled=!1}update(t,e,n,s,r){let o=Math.max(t.motion.start,e-n),a=new Float64Array(7),l=t.localCentre(this.body),c=[],h=[],u=new zt;for(let d=0;d<Vg;d++){let f=d/(Vg-1);t.motion.poseOf(this.body,o+f*(e-o),a);let g=Se(a,Ln(a.subarray(3),l));c.push(g[0]-r[0],g[1]-r[1],g[2]-r[2]),u.lerpColors(s,this.color,f**1.3),h.push(u.r,u.g,u.b)}this.line.geometry.dispose(),this.line.geometry=new Ar,this.line.geometry.setPositions(c),this.line.geometry.setColors(h)}resize(t,e){this.material.resolution.set(t,e)}dispose(){this.line.geometry.dispose(),this.material.dispose()}},Bh=class{group=new Cn;arrows;long;constructor(t,e){this.long=5*e,this.arrows=new Ro(3*(t+1),.35*e,n=>Sw[n%3]),this.group.add(this.arrows.group)}place(t,e){for(let n=0;n<=t.bodies;n++){let r=n===t.bodies?Float64Array.from([0,0,0,1,0,0,0]):t.poses.subarray(7*n,7*n+7);for(let o=0;o<3;o++){let a=[o===0?1:0,o===1?1:0,o===2?1:0],l=[r[0]-e[0],r[1]-e[1],r[2]-e[2]];this.arrows.put(3*n+o,l,xe(this.long,Ln(r.subarray(3),a)))}}}},kh=class{group=new Cn;arrows;world;kind;forces;times;joints;factor;constructor(t,e,n,s){this.world=t,this.kind=n;let{scene:r,reactions:o}=t.data;this.forces=n==="reactions"&&o?e.read(o.force):null,this.times=o?e.read(o.t):[],this.joints=(o?.names??[]).map(c=>r.joints.findIndex(h=>h.name===c));let a=n==="reactions"?this.joints.length:t.bodies;this.arrows=new Ro(a,.5*r.thickness,s),this.group.add(this.arrows.group);let l=this.largest();this.factor=l>0?Fh*r.size/l:0}largest(){let t=0;if(this.forces){for(let s=0;s<this.forces.length;s+=3)t=Math.max(t,Math.hypot(this.forces[s],this.forces[s+1],this.forces[s+2]));return t}let{t:e}=this.world.motion.frames,n=Math.max(1,Math.floor(e.length/200));for(let s=0;s<e.length;s+=n){this.world.moveTo(e[s]);for(let r=0;r<this.world.bodies;r++)t=Math.max(t,In(this.vector(r)))}return t}vector(t){return this.kind==="momenta"?this.world.momentum(t):this.world.velocity(t)}place(t,e){let{world:n}=this;if(this.forces){let s=yi(this.times,t);this.joints.forEach((r,o)=>{let a=n.data.scene.joints[r],l=3*(s*this.joints.length+o),c=[0,1,2].map(u=>this.forces[l+u]),h=n.point(a.child,a.onChild);this.arrows.put(o,rf(h,e),xe(this.factor,c))});return}for(let s=0;s<n.bodies;s++)this.arrows.put(s,rf(n.centre(s),e),xe(this.factor,this.vector(s)))}},zh=class{group=new Cn;arrows;world;factor;constructor(t,e){this.world=t;let{loads:n,size:s,thickness:r}=t.data.scene;this.arrows=new Ro(n.length,.6*r,e),this.group.add(this.arrows.group);let o=Math.max(0,...n.map(a=>a.force?In(a.force):0));this.factor=o>0?Fh*s/o:0}place(t){this.world.data.scene.loads.forEach((e,n)=>{let s=rf(this.world.point(e.body,e.at),t),r=e.force??[0,0,0],o=this.world.poses.subarray(7*e.body+3,7*e.body+7),a=e.axes==="body"?Ln(o,r):r;this.arrows.put(n,s,xe(this.factor,a))})}};function rf(i,t){return[i[0]-t[0],i[1]-t[1],i[2]-t[2]]}var Gg=2048,Vh=20,Gh=class{scene=new ma;canvas;renderer;up;ground=new Cn;width=1;height=1;perspective=new Vn;orthographic=new gr;sky=new La(16777215,8947848,1.9);sun=new So(16777215,2.3);fill=new So(16777215,.5);grid=null;constructor(t,e){this.canvas=t,this.up=e,this.renderer=new Sh({canvas:t,antialias:!0,alpha:!0,preserveDrawingBuffer:!0}),this.renderer.outputColorSpace=Jn,this.renderer.shadowMap.enabled=!0,this.renderer.shadowMap.type=_r,this.sky.position.set(...e),this.scene.add(this.sky,this.sun,this.sun.target,this.fill,new Na(16777215,.25)),this.scene.add(this.ground)}get camera(){return this.isOrthographic?this.orthographic:this.perspective}isOrthographic=!1;light(t){let n=rr({...{azimuth:-.5,elevation:1,distance:1,isOrthographic:!1},target:[0,0,0]},this.up).back;this.sun.position.set(...xe(2.5*t,n)),this.fill.position.set(...xe(-3*t,n));let s=this.sun.shadow;this.sun.castShadow=!0,s.mapSize.set(Gg,Gg),s.radius=3,s.normalBias=.004*t,s.bias=-5e-4;let r=s.camera;r.left=r.bottom=-1.5*t,r.right=r.top=1.5*t,r.near=.1*t,r.far=6*t,r.updateProjectionMatrix()}buildGround(t){let e=Mw(3.2*t/Vh),n=[],s=[],r=Vh*e,o=(v,p,m)=>{for(let T=0;T<24;T++)for(let S of[T/24,(T+1)/24]){let C=v[0]+S*(p[0]-v[0]),E=v[1]+S*(p[1]-v[1]);n.push(C,E,0),s.push(m*Math.max(0,1-Math.hypot(C,E)/r)**1.5)}};for(let v=-Vh;v<=Vh;v++){let p=v%5===0?1:.42;o([v*e,-r],[v*e,r],p),o([-r,v*e],[r,v*e],p)}let a=new un;a.setAttribute("position",new hn(Float32Array.from(n),3));let l=Float32Array.from(s.flatMap(v=>[1,1,1,v]));a.setAttribute("color",new hn(l,4));let c=new go({vertexColors:!0,transparent:!0,depthWrite:!1});this.grid=new ya(a,c);let h=new Gn(new pr(2*r,2*r),new Ra({opacity:.22,depthWrite:!1}));h.receiveShadow=!0,h.position.z=-.001*t,this.ground.add(h,this.grid);let[u,d,f,g]=Is(this.up);this.ground.quaternion.copy(new ni(d,f,g,u))}paint(t){this.sky.color=new zt(t.sky),this.sky.groundColor=new zt(t.earth),this.grid&&(this.grid.material.color=new zt(t.grid))}resize(t,e,n){this.width=Math.max(1,t),this.height=Math.max(1,e),this.renderer.setPixelRatio(n),this.renderer.setSize(this.width,this.height,!1)}draw(t,e){this.isOrthographic=t.isOrthographic;let n=mp(t,this.up),s=this.camera,r=Zo(t,this.width,this.height),o=this.width/this.height;s instanceof Vn?(s.fov=2*Math.atan(r/t.distance)*180/Math.PI,s.aspect=o,s.near=Math.max(t.distance-e,.005*t.distance)):(s.top=r,s.bottom=-r,s.left=-r*o,s.right=r*o,s.near=t.distance-e),s.far=t.distance+e,s.updateProjectionMatrix(),s.position.set(...n),s.up.set(...rr(t,this.up).up),s.lookAt(new U(...t.target)),this.renderer.render(this.scene,s)}};function Mw(i){let t=10**Math.floor(Math.log10(i)),e=i/t;return t*(e<1.5?1:e<3.5?2:e<7.5?5:10)}var bw=12,Hg=4,ww=2.5,Hh=class{stage;world;coloring;camera;followed={kind:"nothing"};trailSpan=1;arrays;selection;balls;box;bodies;joints;connectors;loads;marks=new Cn;floor;frames=null;arrows=null;trails=[];palette;shift=[0,0,0];constructor(t,e,n,s,r){this.world=e,this.arrays=n,this.selection=s,this.palette=r;let{scene:o}=e.data,a=In(o.gravity),l=a>0?xe(-1/a,o.gravity):[0,0,1];this.stage=new Gh(t,l),this.coloring=new Ah(e,n),this.bodies=this.build(c=>{Eg(o,n,c),Cg(o,n,c)}),this.joints=this.build(c=>Pg(o,c));for(let c of this.bodies)this.stage.scene.add(c.mesh);for(let c of this.joints)this.marks.add(c.mesh);this.connectors=new Rh(o,(c,h)=>e.point(c,h)),this.loads=o.loads.length?new zh(e,14242639):null,this.stage.scene.add(this.marks,this.connectors.group),this.loads&&this.stage.scene.add(this.loads.group),this.balls=this.interest(),this.box=Jo(this.balls),this.floor=Math.min(...[this.box.low,this.box.high].map(c=>mn(c,l))),this.stage.light(this.radius()),a>0&&this.followed.kind==="nothing"&&this.stage.buildGround(this.radius()),this.camera=this.homeCamera(),this.setTrails(this.hasFewEnds())}build(t){let e=new Map;return t(e),Rg(this.world.data.scene,this.arrays,e)}interest(){let t=this.world.balls(!0),e=Jo(t),{size:n}=this.world.data.scene;return In(Tn(e.high,e.low))<=bw*n?t:(this.followed={kind:"all"},this.world.balls(!1))}radius(){return In(Tn(this.box.high,this.box.low))/2||1}homeCamera(){let t=this.balls.map(s=>({...s,radius:0})),e=gp(Jo(t),this.stage.up),n={target:[0,0,0],distance:1,isOrthographic:!1,...e};return wu(n,this.balls,this.stage.up,this.stage.width,this.stage.height)}frameAll(){let{width:t,height:e,up:n}=this.stage;this.camera=wu(this.camera,this.balls,n,t,e)}hasFewEnds(){let{kind:t,scene:e}=this.world.data;return t==="run"&&!e.particles&&this.ends().length<=Hg}ends(){let{bodies:t,joints:e}=this.world.data.scene,n=new Set(e.flatMap(s=>s.closesLoop?[s.parent,s.child]:[s.parent]));return t.map((s,r)=>r).filter(s=>!n.has(s))}setTrails(t){for(let s of this.trails)this.stage.scene.remove(s.line),s.dispose();let e=this.selection.kind==="body"?[this.selection.index]:this.ends().slice(0,Hg),{colors:n}=this.world.data.scene;this.trails=t?e.map(s=>new Oh(s,n[s])):[];for(let s of this.trails)s.resize(this.stage.width,this.stage.height),this.stage.scene.add(s.line)}get hasTrails(){return this.trails.length>0}setFrames(t){this.frames&&this.stage.scene.remove(this.frames.group);let{scene:e}=this.world.data;this.frames=t?new Bh(e.bodies.length,e.thickness):null,this.frames&&this.stage.scene.add(this.frames.group)}setJoints(t){this.marks.visible=t}setGround(t){this.stage.ground.visible=t}setArrows(t){this.arrows&&this.stage.scene.remove(this.arrows.group);let e=new zt(this.palette.accent).getHex();this.arrows=t==="none"?null:new kh(this.world,this.arrays,t,e),this.arrows&&this.stage.scene.add(this.arrows.group)}paint(t){this.palette=t,this.stage.paint(t)}resize(t,e,n){this.stage.resize(t,e,n);for(let s of this.trails)s.resize(t,e)}followedPoint(){return this.followed.kind==="all"?this.world.middle():this.followed.kind==="body"?this.world.centre(this.followed.body):null}draw(t,e){let{world:n,stage:s}=this;n.moveTo(t);let r=this.followedPoint();r&&(this.camera={...this.camera,target:r});let o=xe(.5,Se(this.box.low,this.box.high));this.shift=r??o,n.writeMatrices(this.shift);for(let c of[...this.bodies,...this.joints])c.place(n.matrices,n.ground);this.coloring.apply([...this.bodies,...this.joints],this.selection,this.palette.accent,t),this.connectors.place((c,h)=>Tn(n.point(c,h),this.shift)),this.loads?.place(this.shift),this.frames?.place(n,this.shift),this.arrows?.place(t,this.shift);let a=new zt(this.palette.bottom);for(let c of this.trails)c.update(n,t,ww*e,a,this.shift);this.placeGround(o);let l=Tn(this.camera.target,this.shift);s.draw({...this.camera,target:l},this.farthest(l))}placeGround(t){let{up:e,ground:n}=this.stage,s=Se(t,xe(this.floor-mn(t,e),e));n.position.set(...Tn(s,this.shift))}farthest(t){return 2*In(t)+8*this.radius()}pick(t,e){let{width:n,height:s,camera:r}=this.stage,o=new Fa;o.setFromCamera(new Gt(2*t/n-1,1-2*e/s),r);let a=[...this.bodies,...this.marks.visible?this.joints:[]],c=o.intersectObjects(a.map(u=>u.mesh),!1).find(u=>u.instanceId!==void 0);return c?a.find(u=>u.mesh===c.object)?.copies[c.instanceId]?.owner??null:null}};var of=[.05,.1,.25,.5,1,2,5,10,20],Aw=1,Tw=600,Ew=15;function Cw(i){return i>=Aw&&i<=Tw?1:i/Ew||1}var Wh=class{clock;pace;time;isPlaying=!1;isLooping=!0;speed=1;listeners=[];constructor(t){this.clock=t,this.time=t.start,this.pace=Cw(t.end-t.start)}onChange(t){this.listeners.push(t)}seek(t){this.time=Math.max(this.clock.start,Math.min(this.clock.end,t)),this.tell()}toggle(){this.play(!this.isPlaying)}play(t){this.isPlaying=t&&this.clock.end>this.clock.start,this.isPlaying&&this.time>=this.clock.end&&(this.time=this.clock.start),this.tell()}advance(t){if(!this.isPlaying)return;let{start:e,end:n}=this.clock,s=this.time+t*this.speed*this.pace;s>=n&&(this.isLooping?s=e+(s-e)%(n-e):(s=n,this.isPlaying=!1)),this.time=s,this.tell()}step(t){let{frames:e}=this.clock;this.isPlaying=!1;let n=this.time;if(t>0){for(let s=0;s<e.length;s++)if(e[s]>this.time){n=e[s];break}}else for(let s=e.length-1;s>=0;s--)if(e[s]<this.time){n=e[s];break}this.seek(n)}setSpeed(t){this.speed=t,this.tell()}setLooping(t){this.isLooping=t,this.tell()}changeSpeed(t){let e=of.filter(n=>(n-this.speed)*t>0);e.length&&this.setSpeed(t>0?e[0]:e[e.length-1])}tell(){for(let t of this.listeners)t()}};var Rw="uplot",Pw="u-hz",Iw="u-vt",Lw="u-title",Dw="u-wrap",Nw="u-under",Uw="u-over",Fw="u-axis",Cr="u-off",Ow="u-select",Bw="u-cursor-x",kw="u-cursor-y",zw="u-cursor-pt",Vw="u-legend",Gw="u-live",Hw="u-inline",Ww="u-series",Xw="u-marker",Wg="u-label",qw="u-value",tl="width",el="height";var Xg="bottom",Io="left",af="right",wf="#000",qg=wf+"0",lf="mousemove",Yg="mousedown",cf="mouseup",$g="mouseenter",Zg="mouseleave",Jg="dblclick",Yw="resize",$w="scroll",Kg="change",Zh="dppxchange",Af="--",Bo=typeof window<"u",pf=Bo?document:null,Do=Bo?window:null,Zw=Bo?navigator:null,Te,Xh;function mf(){let i=devicePixelRatio;Te!=i&&(Te=i,Xh&&_f(Kg,Xh,mf),Xh=matchMedia(`(min-resolution: ${Te-.001}dppx) and (max-resolution: ${Te+.001}dppx)`),Rr(Kg,Xh,mf),Do.dispatchEvent(new CustomEvent(Zh)))}function pi(i,t){if(t!=null){let e=i.classList;!e.contains(t)&&e.add(t)}}function gf(i,t){let e=i.classList;e.contains(t)&&e.remove(t)}function Xe(i,t,e){i.style[t]=e+"px"}function ki(i,t,e,n){let s=pf.createElement(i);return t!=null&&pi(s,t),e?.insertBefore(s,n),s}function Ai(i,t){return ki("div",i,t)}var jg=new WeakMap;function rs(i,t,e,n,s){let r="translate("+t+"px,"+e+"px)",o=jg.get(i);r!=o&&(i.style.transform=r,jg.set(i,r),t<0||e<0||t>n||e>s?pi(i,Cr):gf(i,Cr))}var Qg=new WeakMap;function t0(i,t,e){let n=t+e,s=Qg.get(i);n!=s&&(Qg.set(i,n),i.style.background=t,i.style.borderColor=e)}var e0=new WeakMap;function n0(i,t,e,n){let s=t+""+e,r=e0.get(i);s!=r&&(e0.set(i,s),i.style.height=e+"px",i.style.width=t+"px",i.style.marginLeft=n?-t/2+"px":0,i.style.marginTop=n?-e/2+"px":0)}var Tf={passive:!0},Jw={...Tf,capture:!0};function Rr(i,t,e,n){t.addEventListener(i,e,n?Jw:Tf)}function _f(i,t,e,n){t.removeEventListener(i,e,Tf)}Bo&&mf();function zi(i,t,e,n){let s;e=e||0,n=n||t.length-1;let r=n<=2147483647;for(;n-e>1;)s=r?e+n>>1:mi((e+n)/2),t[s]<i?e=s:n=s;return i-t[e]<=t[n]-i?e:n}function P0(i){return(e,n,s)=>{let r=-1,o=-1;for(let a=n;a<=s;a++)if(i(e[a])){r=a;break}for(let a=s;a>=n;a--)if(i(e[a])){o=a;break}return[r,o]}}var I0=i=>i!=null,L0=i=>i!=null&&i>0,jh=P0(I0),Kw=P0(L0);function jw(i,t,e,n=0,s=!1){let r=s?Kw:jh,o=s?L0:I0;[t,e]=r(i,t,e);let a=i[t],l=i[t];if(t>-1)if(n==1)a=i[t],l=i[e];else if(n==-1)a=i[e],l=i[t];else for(let c=t;c<=e;c++){let h=i[c];o(h)&&(h<a?a=h:h>l&&(l=h))}return[a??Fe,l??-Fe]}function Qh(i,t,e,n){let s=r0(i),r=r0(t);i==t&&(s==-1?(i*=e,t/=e):(i/=e,t*=e));let o=e==10?bs:D0,a=s==1?mi:Ti,l=r==1?Ti:mi,c=a(o(vn(i))),h=l(o(vn(t))),u=No(e,c),d=No(e,h);return e==10&&(c<0&&(u=Oe(u,-c)),h<0&&(d=Oe(d,-h))),n||e==2?(i=u*s,t=d*r):(i=O0(i,u),t=tu(t,d)),[i,t]}function Ef(i,t,e,n){let s=Qh(i,t,e,n);return i==0&&(s[0]=0),t==0&&(s[1]=0),s}var Cf=.1,i0={mode:3,pad:Cf},il={pad:0,soft:null,mode:0},Qw={min:il,max:il};function Jh(i,t,e,n){return eu(e)?s0(i,t,e):(il.pad=e,il.soft=n?0:null,il.mode=n?3:0,s0(i,t,Qw))}function we(i,t){return i??t}function tA(i,t,e){for(t=we(t,0),e=we(e,i.length-1);t<=e;){if(i[t]!=null)return!0;t++}return!1}function s0(i,t,e){let n=e.min,s=e.max,r=we(n.pad,0),o=we(s.pad,0),a=we(n.hard,-Fe),l=we(s.hard,Fe),c=we(n.soft,Fe),h=we(s.soft,-Fe),u=we(n.mode,0),d=we(s.mode,0),f=t-i,g=bs(f),v=ei(vn(i),vn(t)),p=bs(v),m=vn(p-g);(f<1e-24||m>10)&&(f=0,(i==0||t==0)&&(f=1e-24,u==2&&c!=Fe&&(r=0),d==2&&h!=-Fe&&(o=0)));let y=f||v||1e3,T=bs(y),S=No(10,mi(T)),C=y*(f==0?i==0?.1:1:r),E=Oe(O0(i-C,S/10),24),_=i>=c&&(u==1||u==3&&E<=c||u==2&&E>=c)?c:Fe,w=ei(a,E<_&&i>=_?_:Vi(_,E)),F=y*(f==0?t==0?.1:1:o),I=Oe(tu(t+F,S/10),24),L=t<=h&&(d==1||d==3&&I>=h||d==2&&I<=h)?h:-Fe,z=Vi(l,I>L&&t<=L?L:ei(L,I));return w==z&&w==0&&(z=100),[w,z]}var eA=new Intl.NumberFormat(Bo?Zw.language:"en-US"),Rf=i=>eA.format(i),gi=Math,$h=gi.PI,vn=gi.abs,mi=gi.floor,yn=gi.round,Ti=gi.ceil,Vi=gi.min,ei=gi.max,No=gi.pow,r0=gi.sign,bs=gi.log10,D0=gi.log2,nA=(i,t=1)=>gi.sinh(i)*t,hf=(i,t=1)=>gi.asinh(i/t),Fe=1/0;function o0(i){return(bs((i^i>>31)-(i>>31))|0)+1}function xf(i,t,e){return Vi(ei(i,t),e)}function N0(i){return typeof i=="function"}function _e(i){return N0(i)?i:()=>i}var iA=()=>{},U0=i=>i,F0=(i,t)=>t,sA=i=>null,a0=i=>!0,l0=(i,t)=>i==t,rA=/\.\d*?(?=9{6,}|0{6,})/gm,Pr=i=>{if(k0(i)||Ks.has(i))return i;let t=`${i}`,e=t.match(rA);if(e==null)return i;let n=e[0].length-1;if(t.indexOf("e-")!=-1){let[s,r]=t.split("e");return+`${Pr(s)}e${r}`}return Oe(i,n)};function Tr(i,t){return Pr(Oe(Pr(i/t))*t)}function tu(i,t){return Pr(Ti(Pr(i/t))*t)}function O0(i,t){return Pr(mi(Pr(i/t))*t)}function Oe(i,t=0){if(k0(i))return i;let e=10**t,n=i*e*(1+Number.EPSILON);return yn(n)/e}var Ks=new Map;function B0(i){return((""+i).split(".")[1]||"").length}function rl(i,t,e,n){let s=[],r=n.map(B0);for(let o=t;o<e;o++){let a=vn(o),l=Oe(No(i,o),a);for(let c=0;c<n.length;c++){let h=i==10?+`${n[c]}e${o}`:n[c]*l,u=(o>=0?0:a)+(o>=r[c]?0:r[c]),d=i==10?h:Oe(h,u);s.push(d),Ks.set(d,u)}}return s}var sl={},Pf=[],Uo=[null,null],Js=Array.isArray,k0=Number.isInteger,oA=i=>i===void 0;function c0(i){return typeof i=="string"}function eu(i){let t=!1;if(i!=null){let e=i.constructor;t=e==null||e==Object}return t}function aA(i){return i!=null&&typeof i=="object"}var lA=Object.getPrototypeOf(Uint8Array),z0="__proto__";function Fo(i,t=eu){let e;if(Js(i)){let n=i.find(s=>s!=null);if(Js(n)||t(n)){e=Array(i.length);for(let s=0;s<i.length;s++)e[s]=Fo(i[s],t)}else e=i.slice()}else if(i instanceof lA)e=i.slice();else if(t(i)){e={};for(let n in i)n!=z0&&(e[n]=Fo(i[n],t))}else e=i;return e}function dn(i){let t=arguments;for(let e=1;e<t.length;e++){let n=t[e];for(let s in n)s!=z0&&(eu(i[s])?dn(i[s],Fo(n[s])):i[s]=Fo(n[s]))}return i}var cA=0,hA=1,uA=2;function dA(i,t,e){for(let n=0,s,r=-1;n<t.length;n++){let o=t[n];if(o>r){for(s=o-1;s>=0&&i[s]==null;)i[s--]=null;for(s=o+1;s<e&&i[s]==null;)i[r=s++]=null}}}function fA(i,t){if(gA(i)){let o=i[0].slice();for(let a=1;a<i.length;a++)o.push(...i[a].slice(1));return _A(o[0])||(o=mA(o)),o}let e=new Set;for(let o=0;o<i.length;o++){let l=i[o][0],c=l.length;for(let h=0;h<c;h++)e.add(l[h])}let n=[Array.from(e).sort((o,a)=>o-a)],s=n[0].length,r=new Map;for(let o=0;o<s;o++)r.set(n[0][o],o);for(let o=0;o<i.length;o++){let a=i[o],l=a[0];for(let c=1;c<a.length;c++){let h=a[c],u=Array(s).fill(void 0),d=t?t[o][c]:hA,f=[];for(let g=0;g<h.length;g++){let v=h[g],p=r.get(l[g]);v===null?d!=cA&&(u[p]=v,d==uA&&f.push(p)):u[p]=v}dA(u,f,s),n.push(u)}}return n}var pA=typeof queueMicrotask>"u"?i=>Promise.resolve().then(i):queueMicrotask;function mA(i){let t=i[0],e=t.length,n=Array(e);for(let r=0;r<n.length;r++)n[r]=r;n.sort((r,o)=>t[r]-t[o]);let s=[];for(let r=0;r<i.length;r++){let o=i[r],a=Array(e);for(let l=0;l<e;l++)a[l]=o[n[l]];s.push(a)}return s}function gA(i){let t=i[0][0],e=t.length;for(let n=1;n<i.length;n++){let s=i[n][0];if(s.length!=e)return!1;if(s!=t){for(let r=0;r<e;r++)if(s[r]!=t[r])return!1}}return!0}function _A(i,t=100){let e=i.length;if(e<=1)return!0;let n=0,s=e-1;for(;n<=s&&i[n]==null;)n++;for(;s>=n&&i[s]==null;)s--;if(s<=n)return!0;let r=ei(1,mi((s-n+1)/t));for(let o=i[n],a=n+r;a<=s;a+=r){let l=i[a];if(l!=null){if(l<=o)return!1;o=l}}return!0}var V0=["January","February","March","April","May","June","July","August","September","October","November","December"],G0=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function H0(i){return i.slice(0,3)}var xA=G0.map(H0),yA=V0.map(H0),vA={MMMM:V0,MMM:yA,WWWW:G0,WWW:xA};function Qa(i){return(i<10?"0":"")+i}function SA(i){return(i<10?"00":i<100?"0":"")+i}var MA={YYYY:i=>i.getFullYear(),YY:i=>(i.getFullYear()+"").slice(2),MMMM:(i,t)=>t.MMMM[i.getMonth()],MMM:(i,t)=>t.MMM[i.getMonth()],MM:i=>Qa(i.getMonth()+1),M:i=>i.getMonth()+1,DD:i=>Qa(i.getDate()),D:i=>i.getDate(),WWWW:(i,t)=>t.WWWW[i.getDay()],WWW:(i,t)=>t.WWW[i.getDay()],HH:i=>Qa(i.getHours()),H:i=>i.getHours(),h:i=>{let t=i.getHours();return t==0?12:t>12?t-12:t},AA:i=>i.getHours()>=12?"PM":"AM",aa:i=>i.getHours()>=12?"pm":"am",a:i=>i.getHours()>=12?"p":"a",mm:i=>Qa(i.getMinutes()),m:i=>i.getMinutes(),ss:i=>Qa(i.getSeconds()),s:i=>i.getSeconds(),fff:i=>SA(i.getMilliseconds())};function If(i,t){t=t||vA;let e=[],n=/\{([a-z]+)\}|[^{]+/gi,s;for(;s=n.exec(i);)e.push(s[0][0]=="{"?MA[s[1]]:s[0]);return r=>{let o="";for(let a=0;a<e.length;a++)o+=typeof e[a]=="string"?e[a]:e[a](r,t);return o}}var bA=new Intl.DateTimeFormat().resolvedOptions().timeZone;function wA(i,t){let e;return t=="UTC"||t=="Etc/UTC"?e=new Date(+i+i.getTimezoneOffset()*6e4):t==bA?e=i:(e=new Date(i.toLocaleString("en-US",{timeZone:t})),e.setMilliseconds(i.getMilliseconds())),e}var W0=i=>i%1==0,Kh=[1,2,2.5,5],AA=rl(10,-32,0,Kh),X0=rl(10,0,32,Kh),TA=X0.filter(W0),Er=AA.concat(X0),Lf=`
`,q0="{YYYY}",h0=Lf+q0,Y0="{M}/{D}",nl=Lf+Y0,qh=nl+"/{YY}",$0="{aa}",EA="{h}:{mm}",Lo=EA+$0,u0=Lf+Lo,d0=":{ss}",Re=null;function Z0(i){let t=i*1e3,e=t*60,n=e*60,s=n*24,r=s*30,o=s*365,l=(i==1?rl(10,0,3,Kh).filter(W0):rl(10,-3,0,Kh)).concat([t,t*5,t*10,t*15,t*30,e,e*5,e*10,e*15,e*30,n,n*2,n*3,n*4,n*6,n*8,n*12,s,s*2,s*3,s*4,s*5,s*6,s*7,s*8,s*9,s*10,s*15,r,r*2,r*3,r*4,r*6,o,o*2,o*5,o*10,o*25,o*50,o*100]),c=[[o,q0,Re,Re,Re,Re,Re,Re,1],[s*28,"{MMM}",h0,Re,Re,Re,Re,Re,1],[s,Y0,h0,Re,Re,Re,Re,Re,1],[n,"{h}"+$0,qh,Re,nl,Re,Re,Re,1],[e,Lo,qh,Re,nl,Re,Re,Re,1],[t,d0,qh+" "+Lo,Re,nl+" "+Lo,Re,u0,Re,1],[i,d0+".{fff}",qh+" "+Lo,Re,nl+" "+Lo,Re,u0,Re,1]];function h(u){return(d,f,g,v,p,m)=>{let y=[],T=p>=o,S=p>=r&&p<o,C=u(g),E=Oe(C*i,3),_=uf(C.getFullYear(),T?0:C.getMonth(),S||T?1:C.getDate()),w=Oe(_*i,3);if(S||T){let F=S?p/r:0,I=T?p/o:0,L=E==w?E:Oe(uf(_.getFullYear()+I,_.getMonth()+F,1)*i,3),z=new Date(yn(L/i)),H=z.getFullYear(),N=z.getMonth();for(let W=0;L<=v;W++){let Y=uf(H+I*W,N+F*W,1),G=Y-u(Oe(Y*i,3));L=Oe((+Y+G)*i,3),L<=v&&y.push(L)}}else{let F=p>=s?s:p,I=mi(g)-mi(E),L=w+I+tu(E-w,F);y.push(L);let z=u(L),H=z.getHours()+z.getMinutes()/e+z.getSeconds()/n,N=p/n,W=d.axes[f]._space,Y=m/W;for(;L=Oe(L+p,i==1?0:3),!(L>v);)if(N>1){let G=mi(Oe(H+N,6))%24,j=u(L).getHours()-G;j>1&&(j=-1),L-=j*n,H=(H+N)%24;let it=y[y.length-1];Oe((L-it)/p,3)*Y>=.7&&y.push(L)}else y.push(L)}return y}}return[l,c,h]}var[CA,RA,PA]=Z0(1),[IA,LA,DA]=Z0(.001);rl(2,-53,53,[1]);function f0(i,t){return i.map(e=>e.map((n,s)=>s==0||s==8||n==null?n:t(s==1||e[8]==0?n:e[1]+n)))}function p0(i,t){return(e,n,s,r,o)=>{let a=t.find(g=>o>=g[0])||t[t.length-1],l,c,h,u,d,f;return n.map(g=>{let v=i(g),p=v.getFullYear(),m=v.getMonth(),y=v.getDate(),T=v.getHours(),S=v.getMinutes(),C=v.getSeconds(),E=p!=l&&a[2]||m!=c&&a[3]||y!=h&&a[4]||T!=u&&a[5]||S!=d&&a[6]||C!=f&&a[7]||a[1];return l=p,c=m,h=y,u=T,d=S,f=C,E(v)})}}function NA(i,t){let e=If(t);return(n,s,r,o,a)=>s.map(l=>e(i(l)))}function uf(i,t,e){return new Date(i,t,e)}function m0(i,t){return t(i)}var UA="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function g0(i,t){return(e,n,s,r)=>r==null?Af:t(i(n))}function FA(i,t){let e=i.series[t];return e.width?e.stroke(i,t):e.points.width?e.points.stroke(i,t):null}function OA(i,t){return i.series[t].fill(i,t)}var BA={show:!0,live:!0,isolate:!1,mount:iA,markers:{show:!0,width:2,stroke:FA,fill:OA,dash:"solid"},idx:null,idxs:null,values:[]};function kA(i,t){let e=i.cursor.points,n=Ai(),s=e.size(i,t);Xe(n,tl,s),Xe(n,el,s);let r=s/-2;Xe(n,"marginLeft",r),Xe(n,"marginTop",r);let o=e.width(i,t,s);return o&&Xe(n,"borderWidth",o),n}function zA(i,t){let e=i.series[t].points;return e._fill||e._stroke}function VA(i,t){let e=i.series[t].points;return e._stroke||e._fill}function GA(i,t){return i.series[t].points.size}var df=[0,0];function HA(i,t,e){return df[0]=t,df[1]=e,df}function Yh(i,t,e,n=!0){return s=>{s.button==0&&(!n||s.target==t)&&e(s)}}function ff(i,t,e,n=!0){return s=>{(!n||s.target==t)&&e(s)}}var WA={show:!0,x:!0,y:!0,lock:!1,move:HA,points:{one:!1,show:kA,size:GA,width:0,stroke:VA,fill:zA},bind:{mousedown:Yh,mouseup:Yh,click:Yh,dblclick:Yh,mousemove:ff,mouseleave:ff,mouseenter:ff},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(i,t)=>{t.stopPropagation(),t.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(i,t,e,n,s)=>n-s,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},J0={show:!0,stroke:"rgba(0,0,0,0.07)",width:2},Df=dn({},J0,{filter:F0}),K0=dn({},Df,{size:10}),j0=dn({},J0,{show:!1}),Nf='12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',Q0="bold "+Nf,t_=1.5,_0={show:!0,scale:"x",stroke:wf,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Q0,side:2,grid:Df,ticks:K0,border:j0,font:Nf,lineGap:t_,rotate:0},XA="Value",qA="Time",x0={show:!0,scale:"x",auto:!1,sorted:1,min:Fe,max:-Fe,idxs:[]};function YA(i,t,e,n,s){return t.map(r=>r==null?"":Rf(r))}function $A(i,t,e,n,s,r,o){let a=[],l=Ks.get(s)||0;e=o?e:Oe(tu(e,s),l);for(let c=e;c<=n;c=Oe(c+s,l))a.push(Object.is(c,-0)?0:c);return a}function yf(i,t,e,n,s,r,o){let a=[],l=i.scales[i.axes[t].scale].log,c=l==10?bs:D0,h=mi(c(e));s=No(l,h),l==10&&(s=Er[zi(s,Er)]);let u=e,d=s*l;l==10&&(d=Er[zi(d,Er)]);do a.push(u),u=u+s,l==10&&!Ks.has(u)&&(u=Oe(u,Ks.get(s))),u>=d&&(s=u,d=s*l,l==10&&(d=Er[zi(d,Er)]));while(u<=n);return a}function ZA(i,t,e,n,s,r,o){let l=i.scales[i.axes[t].scale].asinh,c=n>l?yf(i,t,ei(l,e),n,s):[l],h=n>=0&&e<=0?[0]:[];return(e<-l?yf(i,t,ei(l,-n),-e,s):[l]).reverse().map(d=>-d).concat(h,c)}var e_=/./,JA=/[12357]/,KA=/[125]/,y0=/1/,vf=(i,t,e,n)=>i.map((s,r)=>t==4&&s==0||r%n==0&&e.test(s.toExponential()[s<0?1:0])?s:null);function jA(i,t,e,n,s){let r=i.axes[e],o=r.scale,a=i.scales[o],l=i.valToPos,c=r._space,h=l(10,o),u=l(9,o)-h>=c?e_:l(7,o)-h>=c?JA:l(5,o)-h>=c?KA:y0;if(u==y0){let d=vn(l(1,o)-h);if(d<c)return vf(t.slice().reverse(),a.distr,u,Ti(c/d)).reverse()}return vf(t,a.distr,u,1)}function QA(i,t,e,n,s){let r=i.axes[e],o=r.scale,a=r._space,l=i.valToPos,c=vn(l(1,o)-l(2,o));return c<a?vf(t.slice().reverse(),3,e_,Ti(a/c)).reverse():t}function t1(i,t,e,n){return n==null?Af:t==null?"":Rf(t)}var v0={show:!0,scale:"y",stroke:wf,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Q0,side:3,grid:Df,ticks:K0,border:j0,font:Nf,lineGap:t_,rotate:0};function e1(i,t){let e=3+(i||1)*2;return Oe(e*t,3)}function n1(i,t){let{scale:e,idxs:n}=i.series[0],s=i._data[0],r=i.valToPos(s[n[0]],e,!0),o=i.valToPos(s[n[1]],e,!0),a=vn(o-r),l=i.series[t],c=a/(l.points.space*Te);return n[1]-n[0]<=c}var S0={scale:null,auto:!0,sorted:0,min:Fe,max:-Fe},n_=(i,t,e,n,s)=>s,M0={show:!0,auto:!0,sorted:0,gaps:n_,alpha:1,facets:[dn({},S0,{scale:"x"}),dn({},S0,{scale:"y"})]},b0={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,gaps:n_,alpha:1,points:{show:n1,filter:null},values:null,min:Fe,max:-Fe,idxs:[],path:null,clip:null};function i1(i,t,e,n,s){return e/10}var i_={time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},s1=dn({},i_,{time:!1,ori:1}),w0={};function s_(i,t){let e=w0[i];return e||(e={key:i,plots:[],sub(n){e.plots.push(n)},unsub(n){e.plots=e.plots.filter(s=>s!=n)},pub(n,s,r,o,a,l,c){for(let h=0;h<e.plots.length;h++)e.plots[h]!=s&&e.plots[h].pub(n,s,r,o,a,l,c)}},i!=null&&(w0[i]=e)),e}var Oo=1,Sf=2;function Ir(i,t,e){let n=i.mode,s=i.series[t],r=n==2?i._data[t]:i._data,o=i.scales,a=i.bbox,l=r[0],c=n==2?r[1]:r[t],h=n==2?o[s.facets[0].scale]:o[i.series[0].scale],u=n==2?o[s.facets[1].scale]:o[s.scale],d=a.left,f=a.top,g=a.width,v=a.height,p=i.valToPosH,m=i.valToPosV;return h.ori==0?e(s,l,c,h,u,p,m,d,f,g,v,iu,ko,ru,o_,l_):e(s,l,c,h,u,m,p,f,d,v,g,su,zo,Of,a_,c_)}function Uf(i,t){let e=0,n=0,s=we(i.bands,Pf);for(let r=0;r<s.length;r++){let o=s[r];o.series[0]==t?e=o.dir:o.series[1]==t&&(o.dir==1?n|=1:n|=2)}return[e,n==1?-1:n==2?1:n==3?2:0]}function r1(i,t,e,n,s){let r=i.mode,o=i.series[t],a=r==2?o.facets[1].scale:o.scale,l=i.scales[a];return s==-1?l.min:s==1?l.max:l.distr==3?l.dir==1?l.min:l.max:0}function ws(i,t,e,n,s,r){return Ir(i,t,(o,a,l,c,h,u,d,f,g,v,p)=>{let m=o.pxRound,y=c.dir*(c.ori==0?1:-1),T=c.ori==0?ko:zo,S,C;y==1?(S=e,C=n):(S=n,C=e);let E=m(u(a[S],c,v,f)),_=m(d(l[S],h,p,g)),w=m(u(a[C],c,v,f)),F=m(d(r==1?h.max:h.min,h,p,g)),I=new Path2D(s);return T(I,w,F),T(I,E,F),T(I,E,_),I})}function nu(i,t,e,n,s,r){let o=null;if(i.length>0){o=new Path2D;let a=t==0?ru:Of,l=e;for(let u=0;u<i.length;u++){let d=i[u];if(d[1]>d[0]){let f=d[0]-l;f>0&&a(o,l,n,f,n+r),l=d[1]}}let c=e+s-l,h=10;c>0&&a(o,l,n-h/2,c,n+r+h)}return o}function o1(i,t,e){let n=i[i.length-1];n&&n[0]==t?n[1]=e:i.push([t,e])}function Ff(i,t,e,n,s,r,o){let a=[],l=i.length;for(let c=s==1?e:n;c>=e&&c<=n;c+=s)if(t[c]===null){let u=c,d=c;if(s==1)for(;++c<=n&&t[c]===null;)d=c;else for(;--c>=e&&t[c]===null;)d=c;let f=r(i[u]),g=d==u?f:r(i[d]),v=u-s;f=o<=0&&v>=0&&v<l?r(i[v]):f;let m=d+s;g=o>=0&&m>=0&&m<l?r(i[m]):g,g>=f&&a.push([f,g])}return a}function A0(i){return i==0?U0:i==1?yn:t=>Tr(t,i)}function r_(i){let t=i==0?iu:su,e=i==0?(s,r,o,a,l,c)=>{s.arcTo(r,o,a,l,c)}:(s,r,o,a,l,c)=>{s.arcTo(o,r,l,a,c)},n=i==0?(s,r,o,a,l)=>{s.rect(r,o,a,l)}:(s,r,o,a,l)=>{s.rect(o,r,l,a)};return(s,r,o,a,l,c=0,h=0)=>{c==0&&h==0?n(s,r,o,a,l):(c=Vi(c,a/2,l/2),h=Vi(h,a/2,l/2),t(s,r+c,o),e(s,r+a,o,r+a,o+l,c),e(s,r+a,o+l,r,o+l,h),e(s,r,o+l,r,o,h),e(s,r,o,r+a,o,c),s.closePath())}}var iu=(i,t,e)=>{i.moveTo(t,e)},su=(i,t,e)=>{i.moveTo(e,t)},ko=(i,t,e)=>{i.lineTo(t,e)},zo=(i,t,e)=>{i.lineTo(e,t)},ru=r_(0),Of=r_(1),o_=(i,t,e,n,s,r)=>{i.arc(t,e,n,s,r)},a_=(i,t,e,n,s,r)=>{i.arc(e,t,n,s,r)},l_=(i,t,e,n,s,r,o)=>{i.bezierCurveTo(t,e,n,s,r,o)},c_=(i,t,e,n,s,r,o)=>{i.bezierCurveTo(e,t,s,n,o,r)};function h_(i){return(t,e,n,s,r)=>Ir(t,e,(o,a,l,c,h,u,d,f,g,v,p)=>{let{pxRound:m,points:y}=o,T,S;c.ori==0?(T=iu,S=o_):(T=su,S=a_);let C=Oe(y.width*Te,3),E=(y.size-y.width)/2*Te,_=Oe(E*2,3),w=new Path2D,F=new Path2D,{left:I,top:L,width:z,height:H}=t.bbox;ru(F,I-_,L-_,z+_*2,H+_*2);let N=W=>{if(l[W]!=null){let Y=m(u(a[W],c,v,f)),G=m(d(l[W],h,p,g));T(w,Y+E,G),S(w,Y,G,E,0,$h*2)}};if(r)r.forEach(N);else for(let W=n;W<=s;W++)N(W);return{stroke:C>0?w:null,fill:w,clip:F,flags:Oo|Sf}})}function u_(i){return(t,e,n,s,r,o)=>{n!=s&&(r!=n&&o!=n&&i(t,e,n),r!=s&&o!=s&&i(t,e,s),i(t,e,o))}}var a1=u_(ko),l1=u_(zo);function d_(i){let t=we(i?.alignGaps,0);return(e,n,s,r)=>Ir(e,n,(o,a,l,c,h,u,d,f,g,v,p)=>{[s,r]=jh(l,s,r);let m=o.pxRound,y=H=>m(u(H,c,v,f)),T=H=>m(d(H,h,p,g)),S,C;c.ori==0?(S=ko,C=a1):(S=zo,C=l1);let E=c.dir*(c.ori==0?1:-1),_={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:Oo},w=_.stroke,F=!1;if(r-s>=v*4){let H=ht=>e.posToVal(ht,c.key,!0),N=null,W=null,Y,G,lt,J=y(a[E==1?s:r]),j=y(a[s]),it=y(a[r]),ut=H(E==1?j+1:it-1);for(let ht=E==1?s:r;ht>=s&&ht<=r;ht+=E){let Q=a[ht],_t=(E==1?Q<ut:Q>ut)?J:y(Q),Et=l[ht];_t==J?Et!=null?(G=Et,N==null?(S(w,_t,T(G)),Y=N=W=G):G<N?N=G:G>W&&(W=G)):Et===null&&(F=!0):(N!=null&&C(w,J,T(N),T(W),T(Y),T(G)),Et!=null?(G=Et,S(w,_t,T(G)),N=W=Y=G):(N=W=null,Et===null&&(F=!0)),J=_t,ut=H(J+E))}N!=null&&N!=W&&lt!=J&&C(w,J,T(N),T(W),T(Y),T(G))}else for(let H=E==1?s:r;H>=s&&H<=r;H+=E){let N=l[H];N===null?F=!0:N!=null&&S(w,y(a[H]),T(N))}let[L,z]=Uf(e,n);if(o.fill!=null||L!=0){let H=_.fill=new Path2D(w),N=o.fillTo(e,n,o.min,o.max,L),W=T(N),Y=y(a[s]),G=y(a[r]);E==-1&&([G,Y]=[Y,G]),S(H,G,W),S(H,Y,W)}if(!o.spanGaps){let H=[];F&&H.push(...Ff(a,l,s,r,E,y,t)),_.gaps=H=o.gaps(e,n,s,r,H),_.clip=nu(H,c.ori,f,g,v,p)}return z!=0&&(_.band=z==2?[ws(e,n,s,r,w,-1),ws(e,n,s,r,w,1)]:ws(e,n,s,r,w,z)),_})}function c1(i){let t=we(i.align,1),e=we(i.ascDesc,!1),n=we(i.alignGaps,0),s=we(i.extend,!1);return(r,o,a,l)=>Ir(r,o,(c,h,u,d,f,g,v,p,m,y,T)=>{[a,l]=jh(u,a,l);let S=c.pxRound,{left:C,width:E}=r.bbox,_=j=>S(g(j,d,y,p)),w=j=>S(v(j,f,T,m)),F=d.ori==0?ko:zo,I={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:Oo},L=I.stroke,z=d.dir*(d.ori==0?1:-1),H=w(u[z==1?a:l]),N=_(h[z==1?a:l]),W=N,Y=N;s&&t==-1&&(Y=C,F(L,Y,H)),F(L,N,H);for(let j=z==1?a:l;j>=a&&j<=l;j+=z){let it=u[j];if(it==null)continue;let ut=_(h[j]),ht=w(it);t==1?F(L,ut,H):F(L,W,ht),F(L,ut,ht),H=ht,W=ut}let G=W;s&&t==1&&(G=C+E,F(L,G,H));let[lt,J]=Uf(r,o);if(c.fill!=null||lt!=0){let j=I.fill=new Path2D(L),it=c.fillTo(r,o,c.min,c.max,lt),ut=w(it);F(j,G,ut),F(j,Y,ut)}if(!c.spanGaps){let j=[];j.push(...Ff(h,u,a,l,z,_,n));let it=c.width*Te/2,ut=e||t==1?it:-it,ht=e||t==-1?-it:it;j.forEach(Q=>{Q[0]+=ut,Q[1]+=ht}),I.gaps=j=c.gaps(r,o,a,l,j),I.clip=nu(j,d.ori,p,m,y,T)}return J!=0&&(I.band=J==2?[ws(r,o,a,l,L,-1),ws(r,o,a,l,L,1)]:ws(r,o,a,l,L,J)),I})}function T0(i,t,e,n,s,r,o=Fe){if(i.length>1){let a=null;for(let l=0,c=1/0;l<i.length;l++)if(t[l]!==void 0){if(a!=null){let h=vn(i[l]-i[a]);h<c&&(c=h,o=vn(e(i[l],n,s,r)-e(i[a],n,s,r)))}a=l}}return o}function h1(i){i=i||sl;let t=we(i.size,[.6,Fe,1]),e=i.align||0,n=i.gap||0,s=i.radius;s=s==null?[0,0]:typeof s=="number"?[s,0]:s;let r=_e(s),o=1-t[0],a=we(t[1],Fe),l=we(t[2],1),c=we(i.disp,sl),h=we(i.each,f=>{}),{fill:u,stroke:d}=c;return(f,g,v,p)=>Ir(f,g,(m,y,T,S,C,E,_,w,F,I,L)=>{let z=m.pxRound,H=e,N=n*Te,W=a*Te,Y=l*Te,G,lt;S.ori==0?[G,lt]=r(f,g):[lt,G]=r(f,g);let J=S.dir*(S.ori==0?1:-1),j=S.ori==0?ru:Of,it=S.ori==0?h:(Rt,Zt,re,bt,Ue,Vt,Yt)=>{h(Rt,Zt,re,Ue,bt,Yt,Vt)},ut=we(f.bands,Pf).find(Rt=>Rt.series[0]==g),ht=ut!=null?ut.dir:0,Q=m.fillTo(f,g,m.min,m.max,ht),pt=z(_(Q,C,L,F)),_t,Et,Mt,Xt=I,se=z(m.width*Te),Ht=!1,ue=null,le=null,ne=null,qe=null;u!=null&&(se==0||d!=null)&&(Ht=!0,ue=u.values(f,g,v,p),le=new Map,new Set(ue).forEach(Rt=>{Rt!=null&&le.set(Rt,new Path2D)}),se>0&&(ne=d.values(f,g,v,p),qe=new Map,new Set(ne).forEach(Rt=>{Rt!=null&&qe.set(Rt,new Path2D)})));let{x0:Be,size:nn}=c;if(Be!=null&&nn!=null){H=1,y=Be.values(f,g,v,p),Be.unit==2&&(y=y.map(re=>f.posToVal(w+re*I,S.key,!0)));let Rt=nn.values(f,g,v,p);nn.unit==2?Et=Rt[0]*I:Et=E(Rt[0],S,I,w)-E(0,S,I,w),Xt=T0(y,T,E,S,I,w,Xt),Mt=Xt-Et+N}else Xt=T0(y,T,E,S,I,w,Xt),Mt=Xt*o+N,Et=Xt-Mt;Mt<1&&(Mt=0),se>=Et/2&&(se=0),Mt<5&&(z=U0);let De=Mt>0,Sn=Xt-Mt-(De?se:0);Et=z(xf(Sn,Y,W)),_t=(H==0?Et/2:H==J?0:Et)-H*J*((H==0?N/2:0)+(De?se/2:0));let ye={stroke:null,fill:null,clip:null,band:null,gaps:null,flags:0},fn=Ht?null:new Path2D,Ze=null;if(ut!=null)Ze=f.data[ut.series[1]];else{let{y0:Rt,y1:Zt}=c;Rt!=null&&Zt!=null&&(T=Zt.values(f,g,v,p),Ze=Rt.values(f,g,v,p))}let sn=G*Et,B=lt*Et;for(let Rt=J==1?v:p;Rt>=v&&Rt<=p;Rt+=J){let Zt=T[Rt];if(Zt==null)continue;if(Ze!=null){let X=Ze[Rt]??0;if(Zt-X==0)continue;pt=_(X,C,L,F)}let re=S.distr!=2||c!=null?y[Rt]:Rt,bt=E(re,S,I,w),Ue=_(we(Zt,Q),C,L,F),Vt=z(bt-_t),Yt=z(ei(Ue,pt)),R=z(Vi(Ue,pt)),M=Yt-R;if(Zt!=null){let X=Zt<0?B:sn,ct=Zt<0?sn:B;Ht?(se>0&&ne[Rt]!=null&&j(qe.get(ne[Rt]),Vt,R+mi(se/2),Et,ei(0,M-se),X,ct),ue[Rt]!=null&&j(le.get(ue[Rt]),Vt,R+mi(se/2),Et,ei(0,M-se),X,ct)):j(fn,Vt,R+mi(se/2),Et,ei(0,M-se),X,ct),it(f,g,Rt,Vt-se/2,R,Et+se,M)}}return se>0?ye.stroke=Ht?qe:fn:Ht||(ye._fill=m.width==0?m._fill:m._stroke??m._fill,ye.width=0),ye.fill=Ht?le:fn,ye})}function u1(i,t){let e=we(t?.alignGaps,0);return(n,s,r,o)=>Ir(n,s,(a,l,c,h,u,d,f,g,v,p,m)=>{[r,o]=jh(c,r,o);let y=a.pxRound,T=G=>y(d(G,h,p,g)),S=G=>y(f(G,u,m,v)),C,E,_;h.ori==0?(C=iu,_=ko,E=l_):(C=su,_=zo,E=c_);let w=h.dir*(h.ori==0?1:-1),F=T(l[w==1?r:o]),I=F,L=[],z=[];for(let G=w==1?r:o;G>=r&&G<=o;G+=w)if(c[G]!=null){let J=l[G],j=T(J);L.push(I=j),z.push(S(c[G]))}let H={stroke:i(L,z,C,_,E,y),fill:null,clip:null,band:null,gaps:null,flags:Oo},N=H.stroke,[W,Y]=Uf(n,s);if(a.fill!=null||W!=0){let G=H.fill=new Path2D(N),lt=a.fillTo(n,s,a.min,a.max,W),J=S(lt);_(G,I,J),_(G,F,J)}if(!a.spanGaps){let G=[];G.push(...Ff(l,c,r,o,w,T,e)),H.gaps=G=a.gaps(n,s,r,o,G),H.clip=nu(G,h.ori,g,v,p,m)}return Y!=0&&(H.band=Y==2?[ws(n,s,r,o,N,-1),ws(n,s,r,o,N,1)]:ws(n,s,r,o,N,Y)),H})}function d1(i){return u1(f1,i)}function f1(i,t,e,n,s,r){let o=i.length;if(o<2)return null;let a=new Path2D;if(e(a,i[0],t[0]),o==2)n(a,i[1],t[1]);else{let l=Array(o),c=Array(o-1),h=Array(o-1),u=Array(o-1);for(let d=0;d<o-1;d++)h[d]=t[d+1]-t[d],u[d]=i[d+1]-i[d],c[d]=h[d]/u[d];l[0]=c[0];for(let d=1;d<o-1;d++)c[d]===0||c[d-1]===0||c[d-1]>0!=c[d]>0?l[d]=0:(l[d]=3*(u[d-1]+u[d])/((2*u[d]+u[d-1])/c[d-1]+(u[d]+2*u[d-1])/c[d]),isFinite(l[d])||(l[d]=0));l[o-1]=c[o-2];for(let d=0;d<o-1;d++)s(a,i[d]+u[d]/3,t[d]+l[d]*u[d]/3,i[d+1]-u[d]/3,t[d+1]-l[d+1]*u[d]/3,i[d+1],t[d+1])}return a}var Mf=new Set;function E0(){for(let i of Mf)i.syncRect(!0)}Bo&&(Rr(Yw,Do,E0),Rr($w,Do,E0,!0),Rr(Zh,Do,()=>{On.pxRatio=Te}));var p1=d_(),m1=h_();function C0(i,t,e,n){return(n?[i[0],i[1]].concat(i.slice(2)):[i[0]].concat(i.slice(1))).map((r,o)=>bf(r,o,t,e))}function g1(i,t){return i.map((e,n)=>n==0?{}:dn({},t,e))}function bf(i,t,e,n){return dn({},t==0?e:n,i)}function f_(i,t,e){return t==null?Uo:[t,e]}var _1=f_;function x1(i,t,e){return t==null?Uo:Jh(t,e,Cf,!0)}function p_(i,t,e,n){return t==null?Uo:Qh(t,e,i.scales[n].log,!1)}var y1=p_;function m_(i,t,e,n){return t==null?Uo:Ef(t,e,i.scales[n].log,!1)}var v1=m_;function S1(i,t,e,n,s){let r=ei(o0(i),o0(t)),o=t-i,a=zi(s/n*o,e);do{let l=e[a],c=n*l/o;if(c>=s&&r+(l<5?Ks.get(l):0)<=17)return[l,c]}while(++a<e.length);return[0,0]}function R0(i){let t,e;return i=i.replace(/(\d+)px/,(n,s)=>(t=yn((e=+s)*Te))+"px"),[i,t,e]}function M1(i){i.show&&[i.font,i.labelFont].forEach(t=>{let e=Oe(t[2]*Te,1);t[0]=t[0].replace(/[0-9.]+px/,e+"px"),t[1]=e})}function On(i,t,e){let n={mode:we(i.mode,1)},s=n.mode;function r(x,b,P,D){let V=b.valToPct(x);return D+P*(b.dir==-1?1-V:V)}function o(x,b,P,D){let V=b.valToPct(x);return D+P*(b.dir==-1?V:1-V)}function a(x,b,P,D){return b.ori==0?r(x,b,P,D):o(x,b,P,D)}n.valToPosH=r,n.valToPosV=o;let l=!1;n.status=0;let c=n.root=Ai(Rw);if(i.id!=null&&(c.id=i.id),pi(c,i.class),i.title){let x=Ai(Lw,c);x.textContent=i.title}let h=ki("canvas"),u=n.ctx=h.getContext("2d"),d=Ai(Dw,c);Rr("click",d,x=>{x.target===g&&(Ve!=Br||Ye!=kr)&&Pn.click(n,x)},!0);let f=n.under=Ai(Nw,d);d.appendChild(h);let g=n.over=Ai(Uw,d);i=Fo(i);let v=+we(i.pxAlign,1),p=A0(v);(i.plugins||[]).forEach(x=>{x.opts&&(i=x.opts(n,i)||i)});let m=i.ms||.001,y=n.series=s==1?C0(i.series||[],x0,b0,!1):g1(i.series||[null],M0),T=n.axes=C0(i.axes||[],_0,v0,!0),S=n.scales={},C=n.bands=i.bands||[];C.forEach(x=>{x.fill=_e(x.fill||null),x.dir=we(x.dir,-1)});let E=s==2?y[1].facets[0].scale:y[0].scale,_={axes:cs,series:fe},w=(i.drawOrder||["axes","series"]).map(x=>_[x]);function F(x){let b=x.distr==3?P=>bs(P>0?P:x.clamp(n,P,x.min,x.max,x.key)):x.distr==4?P=>hf(P,x.asinh):x.distr==100?P=>x.fwd(P):P=>P;return P=>{let D=b(P),{_min:V,_max:Z}=x,ot=Z-V;return(D-V)/ot}}function I(x){let b=S[x];if(b==null){let P=(i.scales||sl)[x]||sl;if(P.from!=null){I(P.from);let D=dn({},S[P.from],P,{key:x});D.valToPct=F(D),S[x]=D}else{b=S[x]=dn({},x==E?i_:s1,P),b.key=x;let D=b.time,V=b.range,Z=Js(V);if((x!=E||s==2&&!D)&&(Z&&(V[0]==null||V[1]==null)&&(V={min:V[0]==null?i0:{mode:1,hard:V[0],soft:V[0]},max:V[1]==null?i0:{mode:1,hard:V[1],soft:V[1]}},Z=!1),!Z&&eu(V))){let ot=V;V=(dt,yt,Dt)=>yt==null?Uo:Jh(yt,Dt,ot)}b.range=_e(V||(D?_1:x==E?b.distr==3?y1:b.distr==4?v1:f_:b.distr==3?p_:b.distr==4?m_:x1)),b.auto=_e(Z?!1:b.auto),b.clamp=_e(b.clamp||i1),b._min=b._max=null,b.valToPct=F(b)}}}I("x"),I("y"),s==1&&y.forEach(x=>{I(x.scale)}),T.forEach(x=>{I(x.scale)});for(let x in i.scales)I(x);let L=S[E],z=L.distr,H,N;L.ori==0?(pi(c,Pw),H=r,N=o):(pi(c,Iw),H=o,N=r);let W={};for(let x in S){let b=S[x];(b.min!=null||b.max!=null)&&(W[x]={min:b.min,max:b.max},b.min=b.max=null)}let Y=i.tzDate||(x=>new Date(yn(x/m))),G=i.fmtDate||If,lt=m==1?PA(Y):DA(Y),J=p0(Y,f0(m==1?RA:LA,G)),j=g0(Y,m0(UA,G)),it=[],ut=n.legend=dn({},BA,i.legend),ht=n.cursor=dn({},WA,{drag:{y:s==2}},i.cursor),Q=ut.show,pt=ht.show,_t=ut.markers;ut.idxs=it,_t.width=_e(_t.width),_t.dash=_e(_t.dash),_t.stroke=_e(_t.stroke),_t.fill=_e(_t.fill);let Et,Mt,Xt,se=[],Ht=[],ue,le=!1,ne={};if(ut.live){let x=y[1]?y[1].values:null;le=x!=null,ue=le?x(n,1,0):{_:0};for(let b in ue)ne[b]=Af}if(Q)if(Et=ki("table",Vw,c),Xt=ki("tbody",null,Et),ut.mount(n,Et),le){Mt=ki("thead",null,Et,Xt);let x=ki("tr",null,Mt);ki("th",null,x);for(var qe in ue)ki("th",Wg,x).textContent=qe}else pi(Et,Hw),ut.live&&pi(Et,Gw);let Be={show:!0},nn={show:!1};function De(x,b){if(b==0&&(le||!ut.live||s==2))return Uo;let P=[],D=ki("tr",Ww,Xt,Xt.childNodes[b]);pi(D,x.class),x.show||pi(D,Cr);let V=ki("th",null,D);if(_t.show){let dt=Ai(Xw,V);if(b>0){let yt=_t.width(n,b);yt&&(dt.style.border=yt+"px "+_t.dash(n,b)+" "+_t.stroke(n,b)),dt.style.background=_t.fill(n,b)}}let Z=Ai(Wg,V);x.label instanceof HTMLElement?Z.appendChild(x.label):Z.textContent=x.label,b>0&&(_t.show||(Z.style.color=x.width>0?_t.stroke(n,b):_t.fill(n,b)),ye("click",V,dt=>{if(ht._lock)return;Kt(dt);let yt=y.indexOf(x);if((dt.ctrlKey||dt.metaKey)!=ut.isolate){let Dt=y.some((Nt,Ft)=>Ft>0&&Ft!=yt&&Nt.show);y.forEach((Nt,Ft)=>{Ft>0&&Xi(Ft,Dt?Ft==yt?Be:nn:Be,!0,ln.setSeries)})}else Xi(yt,{show:!x.show},!0,ln.setSeries)},!1),jt&&ye($g,V,dt=>{ht._lock||(Kt(dt),Xi(y.indexOf(x),Vr,!0,ln.setSeries))},!1));for(var ot in ue){let dt=ki("td",qw,D);dt.textContent="--",P.push(dt)}return[D,P]}let Sn=new Map;function ye(x,b,P,D=!0){let V=Sn.get(b)||{},Z=ht.bind[x](n,b,P,D);Z&&(Rr(x,b,V[x]=Z),Sn.set(b,V))}function fn(x,b,P){let D=Sn.get(b)||{};for(let V in D)(x==null||V==x)&&(_f(V,b,D[V]),delete D[V]);x==null&&Sn.delete(b)}let Ze=0,sn=0,B=0,Rt=0,Zt=0,re=0,bt=Zt,Ue=re,Vt=B,Yt=Rt,R=0,M=0,X=0,ct=0;n.bbox={};let rt=!1,gt=!1,xt=!1,tt=!1,nt=!1,ft=!1;function O(x,b,P){(P||x!=n.width||b!=n.height)&&st(x,b),ce(!1),xt=!0,gt=!0,Bn()}function st(x,b){n.width=Ze=B=x,n.height=sn=Rt=b,Zt=re=0,St(),Wt();let P=n.bbox;R=P.left=Tr(Zt*Te,.5),M=P.top=Tr(re*Te,.5),X=P.width=Tr(B*Te,.5),ct=P.height=Tr(Rt*Te,.5)}let et=3;function wt(){let x=!1,b=0;for(;!x;){b++;let P=Ur(b),D=Wi(b);x=b==et||P&&D,x||(st(n.width,n.height),gt=!0)}}function mt({width:x,height:b}){O(x,b)}n.setSize=mt;function St(){let x=!1,b=!1,P=!1,D=!1;T.forEach((V,Z)=>{if(V.show&&V._show){let{side:ot,_size:dt}=V,yt=ot%2,Dt=V.label!=null?V.labelSize:0,Nt=dt+Dt;Nt>0&&(yt?(B-=Nt,ot==3?(Zt+=Nt,D=!0):P=!0):(Rt-=Nt,ot==0?(re+=Nt,x=!0):b=!0))}}),Gi[0]=x,Gi[1]=P,Gi[2]=b,Gi[3]=D,B-=Ei[1]+Ei[3],Zt+=Ei[3],Rt-=Ei[2]+Ei[0],re+=Ei[0]}function Wt(){let x=Zt+B,b=re+Rt,P=Zt,D=re;function V(Z,ot){switch(Z){case 1:return x+=ot,x-ot;case 2:return b+=ot,b-ot;case 3:return P-=ot,P+ot;case 0:return D-=ot,D+ot}}T.forEach((Z,ot)=>{if(Z.show&&Z._show){let dt=Z.side;Z._pos=V(dt,Z._size),Z.label!=null&&(Z._lpos=V(dt,Z.labelSize))}})}if(ht.dataIdx==null){let x=ht.hover,b=x.skip=new Set(x.skip??[]);b.add(void 0);let P=x.prox=_e(x.prox),D=x.bias??=0;ht.dataIdx=(V,Z,ot,dt)=>{if(Z==0)return ot;let yt=ot,Dt=P(V,Z,ot,dt)??Fe,Nt=Dt>=0&&Dt<Fe,Ft=L.ori==0?B:Rt,ie=ht.left,Ae=t[0],be=t[Z];if(b.has(be[ot])){yt=null;let pe=null,Jt=null,qt;if(D==0||D==-1)for(qt=ot;pe==null&&qt-- >0;)b.has(be[qt])||(pe=qt);if(D==0||D==1)for(qt=ot;Jt==null&&qt++<be.length;)b.has(be[qt])||(Jt=qt);if(pe!=null||Jt!=null)if(Nt){let He=pe==null?-1/0:H(Ae[pe],L,Ft,0),je=Jt==null?1/0:H(Ae[Jt],L,Ft,0),An=ie-He,Ne=je-ie;An<=Ne?An<=Dt&&(yt=pe):Ne<=Dt&&(yt=Jt)}else yt=Jt==null?pe:pe==null?Jt:ot-pe<=Jt-ot?pe:Jt}else Nt&&vn(ie-H(Ae[ot],L,Ft,0))>Dt&&(yt=null);return yt}}let Kt=x=>{ht.event=x};ht.idxs=it,ht._lock=!1;let at=ht.points;at.show=_e(at.show),at.size=_e(at.size),at.stroke=_e(at.stroke),at.width=_e(at.width),at.fill=_e(at.fill);let Ot=n.focus=dn({},i.focus||{alpha:.3},ht.focus),jt=Ot.prox>=0,Ct=jt&&at.one,ae=[],ze=[],Wn=[];function Vo(x,b){let P=at.show(n,b);if(P instanceof HTMLElement)return pi(P,zw),pi(P,x.class),rs(P,-10,-10,B,Rt),g.insertBefore(P,ae[b]),P}function Lr(x,b){if(s==1||b>0){let P=s==1&&S[x.scale].time,D=x.value;x.value=P?c0(D)?g0(Y,m0(D,G)):D||j:D||t1,x.label=x.label||(P?qA:XA)}if(Ct||b>0){x.width=x.width==null?1:x.width,x.paths=x.paths||p1||sA,x.fillTo=_e(x.fillTo||r1),x.pxAlign=+we(x.pxAlign,v),x.pxRound=A0(x.pxAlign),x.stroke=_e(x.stroke||null),x.fill=_e(x.fill||null),x._stroke=x._fill=x._paths=x._focus=null;let P=e1(ei(1,x.width),1),D=x.points=dn({},{size:P,width:ei(1,P*.2),stroke:x.stroke,space:P*2,paths:m1,_stroke:null,_fill:null},x.points);D.show=_e(D.show),D.filter=_e(D.filter),D.fill=_e(D.fill),D.stroke=_e(D.stroke),D.paths=_e(D.paths),D.pxAlign=x.pxAlign}if(Q){let P=De(x,b);se.splice(b,0,P[0]),Ht.splice(b,0,P[1]),ut.values.push(null)}if(pt){it.splice(b,0,null);let P=null;Ct?b==0&&(P=Vo(x,b)):b>0&&(P=Vo(x,b)),ae.splice(b,0,P),ze.splice(b,0,0),Wn.splice(b,0,0)}wn("addSeries",b)}function du(x,b){b=b??y.length,x=s==1?bf(x,b,x0,b0):bf(x,b,{},M0),y.splice(b,0,x),Lr(y[b],b)}n.addSeries=du;function al(x){if(y.splice(x,1),Q){ut.values.splice(x,1),Ht.splice(x,1);let b=se.splice(x,1)[0];fn(null,b.firstChild),b.remove()}pt&&(it.splice(x,1),ae.splice(x,1)[0].remove(),ze.splice(x,1),Wn.splice(x,1)),wn("delSeries",x)}n.delSeries=al;let Gi=[!1,!1,!1,!1];function os(x,b){if(x._show=x.show,x.show){let P=x.side%2,D=S[x.scale];D==null&&(x.scale=P?y[1].scale:E,D=S[x.scale]);let V=D.time;x.size=_e(x.size),x.space=_e(x.space),x.rotate=_e(x.rotate),Js(x.incrs)&&x.incrs.forEach(ot=>{!Ks.has(ot)&&Ks.set(ot,B0(ot))}),x.incrs=_e(x.incrs||(D.distr==2?TA:V?m==1?CA:IA:Er)),x.splits=_e(x.splits||(V&&D.distr==1?lt:D.distr==3?yf:D.distr==4?ZA:$A)),x.stroke=_e(x.stroke),x.grid.stroke=_e(x.grid.stroke),x.ticks.stroke=_e(x.ticks.stroke),x.border.stroke=_e(x.border.stroke);let Z=x.values;x.values=Js(Z)&&!Js(Z[0])?_e(Z):V?Js(Z)?p0(Y,f0(Z,G)):c0(Z)?NA(Y,Z):Z||J:Z||YA,x.filter=_e(x.filter||(D.distr>=3&&D.log==10?jA:D.distr==3&&D.log==2?QA:F0)),x.font=R0(x.font),x.labelFont=R0(x.labelFont),x._size=x.size(n,null,b,0),x._space=x._rotate=x._incrs=x._found=x._splits=x._values=null,x._size>0&&(Gi[b]=!0,x._el=Ai(Fw,d))}}function as(x,b,P,D){let[V,Z,ot,dt]=P,yt=b%2,Dt=0;return yt==0&&(dt||Z)&&(Dt=b==0&&!V||b==2&&!ot?yn(_0.size/3):0),yt==1&&(V||ot)&&(Dt=b==1&&!Z||b==3&&!dt?yn(v0.size/2):0),Dt}let Go=n.padding=(i.padding||[as,as,as,as]).map(x=>_e(we(x,as))),Ei=n._padding=Go.map((x,b)=>x(n,b,Gi,0)),Je,tn=null,en=null,Hi=s==1?y[0].idxs:null,ri=null,As=!1;function Ho(x,b){if(t=x??[],n.data=n._data=t,s==2){Je=0;for(let P=1;P<y.length;P++)Je+=t[P][0].length}else{t.length==0&&(n.data=n._data=t=[[]]),ri=t[0],Je=ri.length;let P=t;if(z==2){P=t.slice();let D=P[0]=Array(Je);for(let V=0;V<Je;V++)D[V]=V}n._data=t=P}if(ce(!0),wn("setData"),z==2&&(xt=!0),b!==!1){let P=L;P.auto(n,As)?Wo():Cs(E,P.min,P.max),tt=tt||ht.left>=0,ft=!0,Bn()}}n.setData=Ho;function Wo(){As=!0;let x,b;s==1&&(Je>0?(tn=Hi[0]=0,en=Hi[1]=Je-1,x=t[0][tn],b=t[0][en],z==2?(x=tn,b=en):x==b&&(z==3?[x,b]=Qh(x,x,L.log,!1):z==4?[x,b]=Ef(x,x,L.log,!1):L.time?b=x+yn(86400/m):[x,b]=Jh(x,b,Cf,!0))):(tn=Hi[0]=x=null,en=Hi[1]=b=null)),Cs(E,x,b)}let Dr,Ts,Nr,A,k,K,q,$,At,It;function Tt(x,b,P,D,V,Z){x??=qg,P??=Pf,D??="butt",V??=qg,Z??="round",x!=Dr&&(u.strokeStyle=Dr=x),V!=Ts&&(u.fillStyle=Ts=V),b!=Nr&&(u.lineWidth=Nr=b),Z!=k&&(u.lineJoin=k=Z),D!=K&&(u.lineCap=K=D),P!=A&&u.setLineDash(A=P)}function Lt(x,b,P,D){b!=Ts&&(u.fillStyle=Ts=b),x!=q&&(u.font=q=x),P!=$&&(u.textAlign=$=P),D!=At&&(u.textBaseline=At=D)}function kt(x,b,P,D,V=0){if(D.length>0&&x.auto(n,As)&&(b==null||b.min==null)){let Z=we(tn,0),ot=we(en,D.length-1),dt=P.min==null?jw(D,Z,ot,V,x.distr==3):[P.min,P.max];x.min=Vi(x.min,P.min=dt[0]),x.max=ei(x.max,P.max=dt[1])}}let te={min:null,max:null};function de(){for(let D in S){let V=S[D];W[D]==null&&(V.min==null||W[E]!=null&&V.auto(n,As))&&(W[D]=te)}for(let D in S){let V=S[D];W[D]==null&&V.from!=null&&W[V.from]!=null&&(W[D]=te)}W[E]!=null&&ce(!0);let x={};for(let D in W){let V=W[D];if(V!=null){let Z=x[D]=Fo(S[D],aA);if(V.min!=null)dn(Z,V);else if(D!=E||s==2)if(Je==0&&Z.from==null){let ot=Z.range(n,null,null,D);Z.min=ot[0],Z.max=ot[1]}else Z.min=Fe,Z.max=-Fe}}if(Je>0){y.forEach((D,V)=>{if(s==1){let Z=D.scale,ot=W[Z];if(ot==null)return;let dt=x[Z];if(V==0){let yt=dt.range(n,dt.min,dt.max,Z);dt.min=yt[0],dt.max=yt[1],tn=zi(dt.min,t[0]),en=zi(dt.max,t[0]),en-tn>1&&(t[0][tn]<dt.min&&tn++,t[0][en]>dt.max&&en--),D.min=ri[tn],D.max=ri[en]}else D.show&&D.auto&&kt(dt,ot,D,t[V],D.sorted);D.idxs[0]=tn,D.idxs[1]=en}else if(V>0&&D.show&&D.auto){let[Z,ot]=D.facets,dt=Z.scale,yt=ot.scale,[Dt,Nt]=t[V],Ft=x[dt],ie=x[yt];Ft!=null&&kt(Ft,W[dt],Z,Dt,Z.sorted),ie!=null&&kt(ie,W[yt],ot,Nt,ot.sorted),D.min=ot.min,D.max=ot.max}});for(let D in x){let V=x[D],Z=W[D];if(V.from==null&&(Z==null||Z.min==null)){let ot=V.range(n,V.min==Fe?null:V.min,V.max==-Fe?null:V.max,D);V.min=ot[0],V.max=ot[1]}}}for(let D in x){let V=x[D];if(V.from!=null){let Z=x[V.from];if(Z.min==null)V.min=V.max=null;else{let ot=V.range(n,Z.min,Z.max,D);V.min=ot[0],V.max=ot[1]}}}let b={},P=!1;for(let D in x){let V=x[D],Z=S[D];if(Z.min!=V.min||Z.max!=V.max){Z.min=V.min,Z.max=V.max;let ot=Z.distr;Z._min=ot==3?bs(Z.min):ot==4?hf(Z.min,Z.asinh):ot==100?Z.fwd(Z.min):Z.min,Z._max=ot==3?bs(Z.max):ot==4?hf(Z.max,Z.asinh):ot==100?Z.fwd(Z.max):Z.max,b[D]=P=!0}}if(P){y.forEach((D,V)=>{s==2?V>0&&b.y&&(D._paths=null):b[D.scale]&&(D._paths=null)});for(let D in b)xt=!0,wn("setScale",D);pt&&ht.left>=0&&(tt=ft=!0)}for(let D in W)W[D]=null}function Bt(x){let b=xf(tn-1,0,Je-1),P=xf(en+1,0,Je-1);for(;x[b]==null&&b>0;)b--;for(;x[P]==null&&P<Je-1;)P++;return[b,P]}function fe(){if(Je>0){let x=y.some(b=>b._focus)&&It!=Ot.alpha;x&&(u.globalAlpha=It=Ot.alpha),y.forEach((b,P)=>{if(P>0&&b.show&&($e(P,!1),$e(P,!0),b._paths==null)){let D=It;It!=b.alpha&&(u.globalAlpha=It=b.alpha);let V=s==2?[0,t[P][0].length-1]:Bt(t[P]);b._paths=b.paths(n,P,V[0],V[1]),It!=D&&(u.globalAlpha=It=D)}}),y.forEach((b,P)=>{if(P>0&&b.show){let D=It;It!=b.alpha&&(u.globalAlpha=It=b.alpha),b._paths!=null&&Pe(P,!1);{let V=b._paths!=null?b._paths.gaps:null,Z=b.points.show(n,P,tn,en,V),ot=b.points.filter(n,P,Z,V);(Z||ot)&&(b.points._paths=b.points.paths(n,P,tn,en,ot),Pe(P,!0))}It!=D&&(u.globalAlpha=It=D),wn("drawSeries",P)}}),x&&(u.globalAlpha=It=1)}}function $e(x,b){let P=b?y[x].points:y[x];P._stroke=P.stroke(n,x),P._fill=P.fill(n,x)}function Pe(x,b){let P=b?y[x].points:y[x],{stroke:D,fill:V,clip:Z,flags:ot,_stroke:dt=P._stroke,_fill:yt=P._fill,_width:Dt=P.width}=P._paths;Dt=Oe(Dt*Te,3);let Nt=null,Ft=Dt%2/2;b&&yt==null&&(yt=Dt>0?"#fff":dt);let ie=P.pxAlign==1&&Ft>0;if(ie&&u.translate(Ft,Ft),!b){let Ae=R-Dt/2,be=M-Dt/2,pe=X+Dt,Jt=ct+Dt;Nt=new Path2D,Nt.rect(Ae,be,pe,Jt)}b?Ut(dt,Dt,P.dash,P.cap,yt,D,V,ot,Z):Ie(x,dt,Dt,P.dash,P.cap,yt,D,V,ot,Nt,Z),ie&&u.translate(-Ft,-Ft)}function Ie(x,b,P,D,V,Z,ot,dt,yt,Dt,Nt){let Ft=!1;yt!=0&&C.forEach((ie,Ae)=>{if(ie.series[0]==x){let be=y[ie.series[1]],pe=t[ie.series[1]],Jt=(be._paths||sl).band;Js(Jt)&&(Jt=ie.dir==1?Jt[0]:Jt[1]);let qt,He=null;be.show&&Jt&&tA(pe,tn,en)?(He=ie.fill(n,Ae)||Z,qt=be._paths.clip):Jt=null,Ut(b,P,D,V,He,ot,dt,yt,Dt,Nt,qt,Jt),Ft=!0}}),Ft||Ut(b,P,D,V,Z,ot,dt,yt,Dt,Nt)}let pn=Oo|Sf;function Ut(x,b,P,D,V,Z,ot,dt,yt,Dt,Nt,Ft){Tt(x,b,P,D,V),(yt||Dt||Ft)&&(u.save(),yt&&u.clip(yt),Dt&&u.clip(Dt)),Ft?(dt&pn)==pn?(u.clip(Ft),Nt&&u.clip(Nt),me(V,ot),rn(x,Z,b)):dt&Sf?(me(V,ot),u.clip(Ft),rn(x,Z,b)):dt&Oo&&(u.save(),u.clip(Ft),Nt&&u.clip(Nt),me(V,ot),u.restore(),rn(x,Z,b)):(me(V,ot),rn(x,Z,b)),(yt||Dt||Ft)&&u.restore()}function rn(x,b,P){P>0&&(b instanceof Map?b.forEach((D,V)=>{u.strokeStyle=Dr=V,u.stroke(D)}):b!=null&&x&&u.stroke(b))}function me(x,b){b instanceof Map?b.forEach((P,D)=>{u.fillStyle=Ts=D,u.fill(P)}):b!=null&&x&&u.fill(b)}function ls(x,b,P,D){let V=T[x],Z;if(D<=0)Z=[0,0];else{let ot=V._space=V.space(n,x,b,P,D),dt=V._incrs=V.incrs(n,x,b,P,D,ot);Z=S1(b,P,dt,D,ot)}return V._found=Z}function on(x,b,P,D,V,Z,ot,dt,yt,Dt){let Nt=ot%2/2;v==1&&u.translate(Nt,Nt),Tt(dt,ot,yt,Dt,dt),u.beginPath();let Ft,ie,Ae,be,pe=V+(D==0||D==3?-Z:Z);P==0?(ie=V,be=pe):(Ft=V,Ae=pe);for(let Jt=0;Jt<x.length;Jt++)b[Jt]!=null&&(P==0?Ft=Ae=x[Jt]:ie=be=x[Jt],u.moveTo(Ft,ie),u.lineTo(Ae,be));u.stroke(),v==1&&u.translate(-Nt,-Nt)}function Ur(x){let b=!0;return T.forEach((P,D)=>{if(!P.show)return;let V=S[P.scale];if(V.min==null){P._show&&(b=!1,P._show=!1,ce(!1));return}else P._show||(b=!1,P._show=!0,ce(!1));let Z=P.side,ot=Z%2,{min:dt,max:yt}=V,[Dt,Nt]=ls(D,dt,yt,ot==0?B:Rt);if(Nt==0)return;let Ft=V.distr==2,ie=P._splits=P.splits(n,D,dt,yt,Dt,Nt,Ft),Ae=V.distr==2?ie.map(qt=>ri[qt]):ie,be=V.distr==2?ri[ie[1]]-ri[ie[0]]:Dt,pe=P._values=P.values(n,P.filter(n,Ae,D,Nt,be),D,Nt,be);P._rotate=Z==2?P.rotate(n,pe,D,Nt):0;let Jt=P._size;P._size=Ti(P.size(n,pe,D,x)),Jt!=null&&P._size!=Jt&&(b=!1)}),b}function Wi(x){let b=!0;return Go.forEach((P,D)=>{let V=P(n,D,Gi,x);V!=Ei[D]&&(b=!1),Ei[D]=V}),b}function cs(){for(let x=0;x<T.length;x++){let b=T[x];if(!b.show||!b._show)continue;let P=b.side,D=P%2,V,Z,ot=b.stroke(n,x),dt=P==0||P==3?-1:1,[yt,Dt]=b._found;if(b.label!=null){let Yn=b.labelGap*dt,li=yn((b._lpos+Yn)*Te);Lt(b.labelFont[0],ot,"center",P==2?"top":Xg),u.save(),D==1?(V=Z=0,u.translate(li,yn(M+ct/2)),u.rotate((P==3?-$h:$h)/2)):(V=yn(R+X/2),Z=li);let nr=N0(b.label)?b.label(n,x,yt,Dt):b.label;u.fillText(nr,V,Z),u.restore()}if(Dt==0)continue;let Nt=S[b.scale],Ft=D==0?X:ct,ie=D==0?R:M,Ae=b._splits,be=Nt.distr==2?Ae.map(Yn=>ri[Yn]):Ae,pe=Nt.distr==2?ri[Ae[1]]-ri[Ae[0]]:yt,Jt=b.ticks,qt=b.border,He=Jt.show?Jt.size:0,je=yn(He*Te),An=yn((b.alignTo==2?b._size-He-b.gap:b.gap)*Te),Ne=b._rotate*-$h/180,Qe=p(b._pos*Te),oi=(je+An)*dt,qn=Qe+oi;Z=D==0?qn:0,V=D==1?qn:0;let _i=b.font[0],Ci=b.align==1?Io:b.align==2?af:Ne>0?Io:Ne<0?af:D==0?"center":P==3?af:Io,Yi=Ne||D==1?"middle":P==2?"top":Xg;Lt(_i,ot,Ci,Yi);let ai=b.font[1]*b.lineGap,xi=Ae.map(Yn=>p(a(Yn,Nt,Ft,ie))),Ri=b._values;for(let Yn=0;Yn<Ri.length;Yn++){let li=Ri[Yn];if(li!=null){D==0?V=xi[Yn]:Z=xi[Yn],li=""+li;let nr=li.indexOf(`
`)==-1?[li]:li.split(/\n/gm);for(let $n=0;$n<nr.length;$n++){let lp=nr[$n];Ne?(u.save(),u.translate(V,Z+$n*ai),u.rotate(Ne),u.fillText(lp,0,0),u.restore()):u.fillText(lp,V,Z+$n*ai)}}}Jt.show&&on(xi,Jt.filter(n,be,x,Dt,pe),D,P,Qe,je,Oe(Jt.width*Te,3),Jt.stroke(n,x),Jt.dash,Jt.cap);let $i=b.grid;$i.show&&on(xi,$i.filter(n,be,x,Dt,pe),D,D==0?2:1,D==0?M:R,D==0?ct:X,Oe($i.width*Te,3),$i.stroke(n,x),$i.dash,$i.cap),qt.show&&on([Qe],[1],D==0?1:0,D==0?1:2,D==1?M:R,D==1?ct:X,Oe(qt.width*Te,3),qt.stroke(n,x),qt.dash,qt.cap)}wn("drawAxes")}function ce(x){y.forEach((b,P)=>{P>0&&(b._paths=null,x&&(s==1?(b.min=null,b.max=null):b.facets.forEach(D=>{D.min=null,D.max=null})))})}let Ke=!1,Xn=!1,Le=[];function an(){Xn=!1;for(let x=0;x<Le.length;x++)wn(...Le[x]);Le.length=0}function Bn(){Ke||(pA(Wf),Ke=!0)}function ll(x,b=!1){Ke=!0,Xn=b,x(n),Wf(),b&&Le.length>0&&queueMicrotask(an)}n.batch=ll;function Wf(){if(rt&&(de(),rt=!1),xt&&(wt(),xt=!1),gt){if(Xe(f,Io,Zt),Xe(f,"top",re),Xe(f,tl,B),Xe(f,el,Rt),Xe(g,Io,Zt),Xe(g,"top",re),Xe(g,tl,B),Xe(g,el,Rt),Xe(d,tl,Ze),Xe(d,el,sn),h.width=yn(Ze*Te),h.height=yn(sn*Te),T.forEach(({_el:x,_show:b,_size:P,_pos:D,side:V})=>{if(x!=null)if(b){let Z=V===3||V===0?P:0,ot=V%2==1;Xe(x,ot?"left":"top",D-Z),Xe(x,ot?"width":"height",P),Xe(x,ot?"top":"left",ot?re:Zt),Xe(x,ot?"height":"width",ot?Rt:B),gf(x,Cr)}else pi(x,Cr)}),Dr=Ts=Nr=k=K=q=$=At=A=null,It=1,Yo(!0),Zt!=bt||re!=Ue||B!=Vt||Rt!=Yt){ce(!1);let x=B/Vt,b=Rt/Yt;if(pt&&!tt&&ht.left>=0){ht.left*=x,ht.top*=b,Fr&&rs(Fr,yn(ht.left),0,B,Rt),Or&&rs(Or,0,yn(ht.top),B,Rt);for(let P=0;P<ae.length;P++){let D=ae[P];D!=null&&(ze[P]*=x,Wn[P]*=b,rs(D,Ti(ze[P]),Ti(Wn[P]),B,Rt))}}if(Ge.show&&!nt&&Ge.left>=0&&Ge.width>0){Ge.left*=x,Ge.width*=x,Ge.top*=b,Ge.height*=b;for(let P in xu)Xe(zr,P,Ge[P])}bt=Zt,Ue=re,Vt=B,Yt=Rt}wn("setSize"),gt=!1}Ze>0&&sn>0&&(u.clearRect(0,0,h.width,h.height),wn("drawClear"),w.forEach(x=>x()),wn("draw")),Ge.show&&nt&&(cl(Ge),nt=!1),pt&&tt&&(er(null,!0,!1),tt=!1),ut.show&&ut.live&&ft&&(gu(),ft=!1),l||(l=!0,n.status=1,wn("ready")),As=!1,Ke=!1}n.redraw=(x,b)=>{xt=b||!1,x!==!1?Cs(E,L.min,L.max):Bn()};function fu(x,b){let P=S[x];if(P.from==null){if(Je==0){let D=P.range(n,b.min,b.max,x);b.min=D[0],b.max=D[1]}if(b.min>b.max){let D=b.min;b.min=b.max,b.max=D}if(Je>1&&b.min!=null&&b.max!=null&&b.max-b.min<1e-16)return;x==E&&P.distr==2&&Je>0&&(b.min=zi(b.min,t[0]),b.max=zi(b.max,t[0]),b.min==b.max&&b.max++),W[x]=b,rt=!0,Bn()}}n.setScale=fu;let pu,mu,Fr,Or,Xf,qf,Br,kr,Yf,$f,Ve,Ye,Es=!1,Pn=ht.drag,Mn=Pn.x,bn=Pn.y;pt&&(ht.x&&(pu=Ai(Bw,g)),ht.y&&(mu=Ai(kw,g)),L.ori==0?(Fr=pu,Or=mu):(Fr=mu,Or=pu),Ve=ht.left,Ye=ht.top);let Ge=n.select=dn({show:!0,over:!0,left:0,width:0,top:0,height:0},i.select),zr=Ge.show?Ai(Ow,Ge.over?g:f):null;function cl(x,b){if(Ge.show){for(let P in x)Ge[P]=x[P],P in xu&&Xe(zr,P,x[P]);b!==!1&&wn("setSelect")}}n.setSelect=cl;function k_(x){if(y[x].show)Q&&gf(se[x],Cr);else if(Q&&pi(se[x],Cr),pt){let P=Ct?ae[0]:ae[x];P!=null&&rs(P,-10,-10,B,Rt)}}function Cs(x,b,P){fu(x,{min:b,max:P})}function Xi(x,b,P,D){b.focus!=null&&W_(x),b.show!=null&&y.forEach((V,Z)=>{Z>0&&(x==Z||x==null)&&(V.show=b.show,k_(Z),s==2?(Cs(V.facets[0].scale,null,null),Cs(V.facets[1].scale,null,null)):Cs(V.scale,null,null),Bn())}),P!==!1&&wn("setSeries",x,b),D&&$o("setSeries",n,x,b)}n.setSeries=Xi;function z_(x,b){dn(C[x],b)}function V_(x,b){x.fill=_e(x.fill||null),x.dir=we(x.dir,-1),b=b??C.length,C.splice(b,0,x)}function G_(x){x==null?C.length=0:C.splice(x,1)}n.addBand=V_,n.setBand=z_,n.delBand=G_;function H_(x,b){y[x].alpha=b,pt&&ae[x]!=null&&(ae[x].style.opacity=b),Q&&se[x]&&(se[x].style.opacity=b)}let hs,Rs,tr,Vr={focus:!0};function W_(x){if(x!=tr){let b=x==null,P=Ot.alpha!=1;y.forEach((D,V)=>{if(s==1||V>0){let Z=b||V==0||V==x;D._focus=b?null:Z,P&&H_(V,Z?1:Ot.alpha)}}),tr=x,P&&Bn()}}Q&&jt&&ye(Zg,Et,x=>{ht._lock||(Kt(x),tr!=null&&Xi(null,Vr,!0,ln.setSeries))});function qi(x,b,P){let D=S[b];P&&(x=x/Te-(D.ori==1?re:Zt));let V=B;D.ori==1&&(V=Rt,x=V-x),D.dir==-1&&(x=V-x);let Z=D._min,ot=D._max,dt=x/V,yt=Z+(ot-Z)*dt,Dt=D.distr;return Dt==3?No(10,yt):Dt==4?nA(yt,D.asinh):Dt==100?D.bwd(yt):yt}function X_(x,b){let P=qi(x,E,b);return zi(P,t[0],tn,en)}n.valToIdx=x=>zi(x,t[0]),n.posToIdx=X_,n.posToVal=qi,n.valToPos=(x,b,P)=>S[b].ori==0?r(x,S[b],P?X:B,P?R:0):o(x,S[b],P?ct:Rt,P?M:0),n.setCursor=(x,b,P)=>{Ve=x.left,Ye=x.top,er(null,b,P)};function Zf(x,b){Xe(zr,Io,Ge.left=x),Xe(zr,tl,Ge.width=b)}function Jf(x,b){Xe(zr,"top",Ge.top=x),Xe(zr,el,Ge.height=b)}let Xo=L.ori==0?Zf:Jf,qo=L.ori==1?Zf:Jf;function q_(){if(Q&&ut.live)for(let x=s==2?1:0;x<y.length;x++){if(x==0&&le)continue;let b=ut.values[x],P=0;for(let D in b)Ht[x][P++].firstChild.nodeValue=b[D]}}function gu(x,b){if(x!=null&&(x.idxs?x.idxs.forEach((P,D)=>{it[D]=P}):oA(x.idx)||it.fill(x.idx),ut.idx=it[0]),Q&&ut.live){for(let P=0;P<y.length;P++)(P>0||s==1&&!le)&&Y_(P,it[P]);q_()}ft=!1,b!==!1&&wn("setLegend")}n.setLegend=gu;function Y_(x,b){let P=y[x],D=x==0&&z==2?ri:t[x],V;le?V=P.values(n,x,b)??ne:(V=P.value(n,b==null?null:D[b],x,b),V=V==null?ne:{_:V}),ut.values[x]=V}function er(x,b,P){Yf=Ve,$f=Ye,[Ve,Ye]=ht.move(n,Ve,Ye),ht.left=Ve,ht.top=Ye,pt&&(Fr&&rs(Fr,yn(Ve),0,B,Rt),Or&&rs(Or,0,yn(Ye),B,Rt));let D,V=tn>en;hs=Fe,Rs=null;let Z=L.ori==0?B:Rt,ot=L.ori==1?B:Rt;if(Ve<0||Je==0||V){D=ht.idx=null;for(let dt=0;dt<y.length;dt++){let yt=ae[dt];yt!=null&&rs(yt,-10,-10,B,Rt)}jt&&Xi(null,Vr,!0,x==null&&ln.setSeries),ut.live&&(it.fill(D),ft=!0)}else{let dt,yt,Dt;s==1&&(dt=L.ori==0?Ve:Ye,yt=qi(dt,E),D=ht.idx=zi(yt,t[0],tn,en),Dt=H(t[0][D],L,Z,0));let Nt=-10,Ft=-10,ie=0,Ae=0,be=!0,pe="",Jt="";for(let qt=s==2?1:0;qt<y.length;qt++){let He=y[qt],je=it[qt],An=je==null?null:s==1?t[qt][je]:t[qt][1][je],Ne=ht.dataIdx(n,qt,D,yt),Qe=Ne==null?null:s==1?t[qt][Ne]:t[qt][1][Ne];if(ft=ft||Qe!=An||Ne!=je,it[qt]=Ne,qt>0&&He.show){let oi=Ne==null?-10:Ne==D?Dt:H(s==1?t[0][Ne]:t[qt][0][Ne],L,Z,0),qn=Qe==null?-10:N(Qe,s==1?S[He.scale]:S[He.facets[1].scale],ot,0);if(jt&&Qe!=null){let _i=L.ori==1?Ve:Ye,Ci=vn(Ot.dist(n,qt,Ne,qn,_i));if(Ci<hs){let Yi=Ot.bias;if(Yi!=0){let ai=qi(_i,He.scale),xi=Qe>=0?1:-1,Ri=ai>=0?1:-1;Ri==xi&&(Ri==1?Yi==1?Qe>=ai:Qe<=ai:Yi==1?Qe<=ai:Qe>=ai)&&(hs=Ci,Rs=qt)}else hs=Ci,Rs=qt}}if(ft||Ct){let _i,Ci;L.ori==0?(_i=oi,Ci=qn):(_i=qn,Ci=oi);let Yi,ai,xi,Ri,$i,Yn,li=!0,nr=at.bbox;if(nr!=null){li=!1;let $n=nr(n,qt);xi=$n.left,Ri=$n.top,Yi=$n.width,ai=$n.height}else xi=_i,Ri=Ci,Yi=ai=at.size(n,qt);if(Yn=at.fill(n,qt),$i=at.stroke(n,qt),Ct)qt==Rs&&hs<=Ot.prox&&(Nt=xi,Ft=Ri,ie=Yi,Ae=ai,be=li,pe=Yn,Jt=$i);else{let $n=ae[qt];$n!=null&&(ze[qt]=xi,Wn[qt]=Ri,n0($n,Yi,ai,li),t0($n,Yn,$i),rs($n,Ti(xi),Ti(Ri),B,Rt))}}}}if(Ct){let qt=Ot.prox,He=tr==null?hs<=qt:hs>qt||Rs!=tr;if(ft||He){let je=ae[0];je!=null&&(ze[0]=Nt,Wn[0]=Ft,n0(je,ie,Ae,be),t0(je,pe,Jt),rs(je,Ti(Nt),Ti(Ft),B,Rt))}}}if(Ge.show&&Es)if(x!=null){let[dt,yt]=ln.scales,[Dt,Nt]=ln.match,[Ft,ie]=x.cursor.sync.scales,Ae=x.cursor.drag;if(Mn=Ae._x,bn=Ae._y,Mn||bn){let{left:be,top:pe,width:Jt,height:qt}=x.select,He=x.scales[Ft].ori,je=x.posToVal,An,Ne,Qe,oi,qn,_i=dt!=null&&Dt(dt,Ft),Ci=yt!=null&&Nt(yt,ie);_i&&Mn?(He==0?(An=be,Ne=Jt):(An=pe,Ne=qt),Qe=S[dt],oi=H(je(An,Ft),Qe,Z,0),qn=H(je(An+Ne,Ft),Qe,Z,0),Xo(Vi(oi,qn),vn(qn-oi))):Xo(0,Z),Ci&&bn?(He==1?(An=be,Ne=Jt):(An=pe,Ne=qt),Qe=S[yt],oi=N(je(An,ie),Qe,ot,0),qn=N(je(An+Ne,ie),Qe,ot,0),qo(Vi(oi,qn),vn(qn-oi))):qo(0,ot)}else yu()}else{let dt=vn(Yf-Xf),yt=vn($f-qf);if(L.ori==1){let ie=dt;dt=yt,yt=ie}Mn=Pn.x&&dt>=Pn.dist,bn=Pn.y&&yt>=Pn.dist;let Dt=Pn.uni;Dt!=null?Mn&&bn&&(Mn=dt>=Dt,bn=yt>=Dt,!Mn&&!bn&&(yt>dt?bn=!0:Mn=!0)):Pn.x&&Pn.y&&(Mn||bn)&&(Mn=bn=!0);let Nt,Ft;Mn&&(L.ori==0?(Nt=Br,Ft=Ve):(Nt=kr,Ft=Ye),Xo(Vi(Nt,Ft),vn(Ft-Nt)),bn||qo(0,ot)),bn&&(L.ori==1?(Nt=Br,Ft=Ve):(Nt=kr,Ft=Ye),qo(Vi(Nt,Ft),vn(Ft-Nt)),Mn||Xo(0,Z)),!Mn&&!bn&&(Xo(0,0),qo(0,0))}if(Pn._x=Mn,Pn._y=bn,x==null){if(P){if(ap!=null){let[dt,yt]=ln.scales;ln.values[0]=dt!=null?qi(L.ori==0?Ve:Ye,dt):null,ln.values[1]=yt!=null?qi(L.ori==1?Ve:Ye,yt):null}$o(lf,n,Ve,Ye,B,Rt,D)}if(jt){let dt=P&&ln.setSeries,yt=Ot.prox;tr==null?hs<=yt&&Xi(Rs,Vr,!0,dt):hs>yt?Xi(null,Vr,!0,dt):Rs!=tr&&Xi(Rs,Vr,!0,dt)}}ft&&(ut.idx=D,gu()),b!==!1&&wn("setCursor")}let Ps=null;Object.defineProperty(n,"rect",{get(){return Ps==null&&Yo(!1),Ps}});function Yo(x=!1){x?Ps=null:(Ps=g.getBoundingClientRect(),wn("syncRect",Ps))}function Kf(x,b,P,D,V,Z,ot){ht._lock||Es&&x!=null&&x.movementX==0&&x.movementY==0||(_u(x,b,P,D,V,Z,ot,!1,x!=null),x!=null?er(null,!0,!0):er(b,!0,!1))}function _u(x,b,P,D,V,Z,ot,dt,yt){if(Ps==null&&Yo(!1),Kt(x),x!=null)P=x.clientX-Ps.left,D=x.clientY-Ps.top;else{if(P<0||D<0){Ve=-10,Ye=-10;return}let[Dt,Nt]=ln.scales,Ft=b.cursor.sync,[ie,Ae]=Ft.values,[be,pe]=Ft.scales,[Jt,qt]=ln.match,He=b.axes[0].side%2==1,je=L.ori==0?B:Rt,An=L.ori==1?B:Rt,Ne=He?Z:V,Qe=He?V:Z,oi=He?D:P,qn=He?P:D;if(be!=null?P=Jt(Dt,be)?a(ie,S[Dt],je,0):-10:P=je*(oi/Ne),pe!=null?D=qt(Nt,pe)?a(Ae,S[Nt],An,0):-10:D=An*(qn/Qe),L.ori==1){let _i=P;P=D,D=_i}}yt&&(b==null||b.cursor.event.type==lf)&&((P<=1||P>=B-1)&&(P=Tr(P,B)),(D<=1||D>=Rt-1)&&(D=Tr(D,Rt))),dt?(Xf=P,qf=D,[Br,kr]=ht.move(n,P,D)):(Ve=P,Ye=D)}let xu={width:0,height:0,left:0,top:0};function yu(){cl(xu,!1)}let jf,Qf,tp,ep;function np(x,b,P,D,V,Z,ot){Es=!0,Mn=bn=Pn._x=Pn._y=!1,_u(x,b,P,D,V,Z,ot,!0,!1),x!=null&&(ye(cf,pf,ip,!1),$o(Yg,n,Br,kr,B,Rt,null));let{left:dt,top:yt,width:Dt,height:Nt}=Ge;jf=dt,Qf=yt,tp=Dt,ep=Nt}function ip(x,b,P,D,V,Z,ot){Es=Pn._x=Pn._y=!1,_u(x,b,P,D,V,Z,ot,!1,!0);let{left:dt,top:yt,width:Dt,height:Nt}=Ge,Ft=Dt>0||Nt>0,ie=jf!=dt||Qf!=yt||tp!=Dt||ep!=Nt;if(Ft&&ie&&cl(Ge),Pn.setScale&&Ft&&ie){let Ae=dt,be=Dt,pe=yt,Jt=Nt;if(L.ori==1&&(Ae=yt,be=Nt,pe=dt,Jt=Dt),Mn&&Cs(E,qi(Ae,E),qi(Ae+be,E)),bn)for(let qt in S){let He=S[qt];qt!=E&&He.from==null&&He.min!=Fe&&Cs(qt,qi(pe+Jt,qt),qi(pe,qt))}yu()}else ht.lock&&(ht._lock=!ht._lock,er(b,!0,x!=null));x!=null&&(fn(cf,pf),$o(cf,n,Ve,Ye,B,Rt,null))}function $_(x,b,P,D,V,Z,ot){if(ht._lock)return;Kt(x);let dt=Es;if(Es){let yt=!0,Dt=!0,Nt=10,Ft,ie;L.ori==0?(Ft=Mn,ie=bn):(Ft=bn,ie=Mn),Ft&&ie&&(yt=Ve<=Nt||Ve>=B-Nt,Dt=Ye<=Nt||Ye>=Rt-Nt),Ft&&yt&&(Ve=Ve<Br?0:B),ie&&Dt&&(Ye=Ye<kr?0:Rt),er(null,!0,!0),Es=!1}Ve=-10,Ye=-10,it.fill(null),er(null,!0,!0),dt&&(Es=dt)}function sp(x,b,P,D,V,Z,ot){ht._lock||(Kt(x),Wo(),yu(),x!=null&&$o(Jg,n,Ve,Ye,B,Rt,null))}function rp(){T.forEach(M1),O(n.width,n.height,!0)}Rr(Zh,Do,rp);let Gr={};Gr.mousedown=np,Gr.mousemove=Kf,Gr.mouseup=ip,Gr.dblclick=sp,Gr.setSeries=(x,b,P,D)=>{let V=ln.match[2];P=V(n,b,P),P!=-1&&Xi(P,D,!0,!1)},pt&&(ye(Yg,g,np),ye(lf,g,Kf),ye($g,g,x=>{Kt(x),Yo(!1)}),ye(Zg,g,$_),ye(Jg,g,sp),Mf.add(n),n.syncRect=Yo);let hl=n.hooks=i.hooks||{};function wn(x,b,P){Xn?Le.push([x,b,P]):x in hl&&hl[x].forEach(D=>{D.call(null,n,b,P)})}(i.plugins||[]).forEach(x=>{for(let b in x.hooks)hl[b]=(hl[b]||[]).concat(x.hooks[b])});let op=(x,b,P)=>P,ln=dn({key:null,setSeries:!1,filters:{pub:a0,sub:a0},scales:[E,y[1]?y[1].scale:null],match:[l0,l0,op],values:[null,null]},ht.sync);ln.match.length==2&&ln.match.push(op),ht.sync=ln;let ap=ln.key,vu=s_(ap);function $o(x,b,P,D,V,Z,ot){ln.filters.pub(x,b,P,D,V,Z,ot)&&vu.pub(x,b,P,D,V,Z,ot)}vu.sub(n);function Z_(x,b,P,D,V,Z,ot){ln.filters.sub(x,b,P,D,V,Z,ot)&&Gr[x](null,b,P,D,V,Z,ot)}n.pub=Z_;function J_(){vu.unsub(n),Mf.delete(n),Sn.clear(),_f(Zh,Do,rp),c.remove(),Et?.remove(),wn("destroy")}n.destroy=J_;function Su(){wn("init",i,t),Ho(t||i.data,!1),W[E]?fu(E,W[E]):Wo(),nt=Ge.show&&(Ge.width>0||Ge.height>0),tt=ft=!0,O(i.width,i.height)}return y.forEach(Lr),T.forEach(os),e?e instanceof HTMLElement?(e.appendChild(c),Su()):e(n,Su):Su(),n}On.assign=dn;On.fmtNum=Rf;On.rangeNum=Jh;On.rangeLog=Qh;On.rangeAsinh=Ef;On.orient=Ir;On.pxRatio=Te;On.join=fA;On.fmtDate=If,On.tzDate=wA;On.sync=s_;{On.addGap=o1,On.clipGaps=nu;let i=On.paths={points:h_};i.linear=d_,i.stepped=c1,i.bars=h1,i.spline=d1}var g_=132,ou=class{root;data;player;box;values;plot=null;palette;constructor(t,e,n){this.data=t,this.player=e,this.palette=n,this.box=vt("div",{class:"plot-box"}),this.values=vt("div",{class:"plot-values"});let s=t.unit?`${t.title} / ${t.unit}`:t.title;this.root=vt("section",{class:"plot",label:s},[vt("h3",{text:s}),this.values,this.box]),this.root.dataset.plot=t.title}build(){this.plot?.destroy();let{palette:t,data:e}=this,n=Array.from(e.t),s=e.isLogarithmic?C1(e.lines):e.lines.map(r=>Array.from(r.values,o=>Number.isFinite(o)?o:null));this.plot=new On({width:Math.max(120,this.box.clientWidth),height:g_,legend:{show:!1},cursor:{drag:{x:!0,y:!1},points:{show:!1}},scales:{x:{time:!1},y:{range:(r,o,a)=>w1(o,a,e.limits)}},axes:[x_(t,26),{...x_(t,62),...e.isLogarithmic?T1:A1}],series:[{},...e.lines.map((r,o)=>({label:r.name,stroke:t.lines[o%t.lines.length],dash:__[o%__.length],width:1.4,points:{show:!1}}))],hooks:{draw:[r=>this.drawLimits(r),r=>this.drawCursor(r)]}},[n,...s],this.box),this.listen(this.plot),this.showValues()}listen(t){let e=null;t.over.addEventListener("pointerdown",n=>e=n.clientX),t.over.addEventListener("pointerup",n=>{if(e!==null&&Math.abs(n.clientX-e)<3){let s=n.clientX-t.over.getBoundingClientRect().left;this.player.play(!1),this.player.seek(t.posToVal(s,"x"))}e=null})}drawLimits(t){let{left:e,top:n,width:s,height:r}=t.bbox,o=t.ctx;o.save(),o.strokeStyle=this.palette.ink,o.lineWidth=devicePixelRatio,o.setLineDash([5*devicePixelRatio,4*devicePixelRatio]);for(let a of this.data.limits??[]){let l=t.valToPos(a,"y",!0);l<n||l>n+r||(o.beginPath(),o.moveTo(e,l),o.lineTo(e+s,l),o.stroke())}o.restore()}drawCursor(t){let e=t.valToPos(this.player.time,"x",!0),{left:n,top:s,width:r,height:o}=t.bbox;if(e<n||e>n+r)return;let a=t.ctx;a.save(),a.setLineDash([]),a.strokeStyle=this.palette.accent,a.lineWidth=1.5*devicePixelRatio,a.beginPath(),a.moveTo(e,s),a.lineTo(e,s+o),a.stroke(),a.restore()}showValues(){let t=yi(this.data.t,this.player.time),e=this.data.lines.map((n,s)=>{let r=vt("span",{text:`${n.name} ${ke(n.values[t])}`});return r.style.color=this.palette.lines[s%this.palette.lines.length],r});this.values.replaceChildren(...e)}update(){this.showValues(),this.plot?.redraw(!1,!1)}resize(){let t=this.box.clientWidth;this.plot&&t>0&&Math.abs(t-this.plot.width)>1&&this.plot.setSize({width:t,height:g_})}paint(t){this.palette=t,this.plot&&this.build()}destroy(){this.plot?.destroy(),this.root.remove()}},b1=1.5,__=[[],[7,3],[2,2],[8,3,2,3],[12,5],[6,2,2,2,2,2],[3,5],[14,3,3,3]];function w1(i,t,e=[]){if(i===null||t===null)return[0,1];let n=b1*(t-i||Math.abs(t)||1),[s,r]=[i-n,t+n],o=e.filter(h=>h>=s&&h<=r),a=Math.min(i,...o),l=Math.max(t,...o),c=l>a?.06*(l-a):Math.abs(l)*.1||1;return[a-c,l+c]}function x_(i,t){return{stroke:i.ink,font:"11px system-ui, sans-serif",grid:{stroke:i.faint,width:1},ticks:{stroke:i.faint,width:1,size:4},size:t,gap:3}}var A1={values:(i,t)=>t.map(e=>e===null?null:ke(e,3))},T1={incrs:[1,2,5,10,20,50,100],values:(i,t)=>t.map(e=>e===null?null:`1e${e}`)},E1=1e-6;function C1(i){let t=0;for(let{values:n}of i)for(let s=0;s<n.length;s++)n[s]>t&&(t=n[s]);let e=E1*t;return i.map(({values:n})=>Array.from(n,s=>t>0&&s>=0?Math.log10(Math.max(s,e)):null))}var js=52,y_=34,Qs=8,R1=14,ol=class{root;data;player;canvas;values;palette;height;xRange;yRange;background=null;constructor(t,e,n,s=230){this.data=t,this.player=e,this.palette=n,this.height=s,this.xRange=v_(t.x),this.yRange=v_(t.y),this.canvas=vt("canvas",{label:`${t.yName} over ${t.xName}`}),this.canvas.setAttribute("role","img"),this.values=vt("div",{class:"plot-values"}),this.root=vt("section",{class:"plot portrait",label:t.title},[vt("h3",{text:t.title}),this.values,this.canvas]),this.root.dataset.plot=t.title,this.canvas.addEventListener("click",r=>this.jump(r))}build(){let t=Math.max(120,this.root.clientWidth-2),e=devicePixelRatio;this.canvas.width=t*e,this.canvas.height=this.height*e,this.canvas.style.width=`${t}px`,this.canvas.style.height=`${this.height}px`,this.background=null,this.update()}resize(t){t&&(this.height=t),this.root.clientWidth>0&&this.build()}paint(t){this.palette=t,this.build()}destroy(){this.root.remove()}update(){let t=this.canvas.getContext("2d");if(!t||!this.canvas.width)return;this.background??=this.drawBackground(),t.clearRect(0,0,this.canvas.width,this.canvas.height),t.drawImage(this.background,0,0);let e=yi(this.data.t,this.player.time),{x:n,y:s,xName:r,yName:o,isSection:a}=this.data;if(this.values.textContent=a?`${n.length} points`:`${r} ${ke(n[e])}, ${o} ${ke(s[e])}`,a)return;let[l,c]=this.place(n[e],s[e]);t.fillStyle=this.palette.accent,t.beginPath(),t.arc(l,c,4.5*devicePixelRatio,0,2*Math.PI),t.fill()}place(t,e){let n=devicePixelRatio,[s,r]=this.xRange,[o,a]=this.yRange,l=this.canvas.width-(js+Qs)*n,c=this.canvas.height-(y_+Qs)*n;return[js*n+l*(t-s)/(r-s),Qs*n+c*(1-(e-o)/(a-o))]}drawBackground(){let t=devicePixelRatio,e=document.createElement("canvas");e.width=this.canvas.width,e.height=this.canvas.height;let n=e.getContext("2d"),s=e.width-Qs*t,r=e.height-y_*t;return n.strokeStyle=this.palette.faint,n.lineWidth=t,n.strokeRect(js*t,Qs*t,s-js*t,r-Qs*t),this.drawLabels(n,s,r),this.drawPoints(n),e}drawLabels(t,e,n){let s=devicePixelRatio,[r,o]=this.xRange,[a,l]=this.yRange;t.fillStyle=this.palette.ink,t.font=`${11*s}px system-ui, sans-serif`,t.textBaseline="top",t.fillText(ke(r,3),js*s,n+4*s),t.textAlign="right",t.fillText(ke(o,3),e,n+4*s),t.fillText(ke(l,3),(js-4)*s,Qs*s),t.textBaseline="bottom",t.fillText(ke(a,3),(js-4)*s,n),t.textAlign="center",t.fillText(this.data.xName,(js*s+e)/2,this.canvas.height),t.save(),t.translate(14*s,(Qs*s+n)/2),t.rotate(-Math.PI/2),t.fillText(this.data.yName,0,0),t.restore()}drawPoints(t){let{x:e,y:n,isSection:s}=this.data,r=devicePixelRatio;if(t.strokeStyle=t.fillStyle=this.palette.lines[0],t.lineWidth=r,s){for(let o=0;o<e.length;o++){let[a,l]=this.place(e[o],n[o]);t.fillRect(a-r,l-r,2*r,2*r)}return}t.globalAlpha=.8,t.beginPath();for(let o=0;o<e.length;o++)t.lineTo(...this.place(e[o],n[o]));t.stroke()}jump(t){let e=this.canvas.getBoundingClientRect(),n=devicePixelRatio,[s,r]=[(t.clientX-e.left)*n,(t.clientY-e.top)*n],o=R1*n,a=-1;for(let l=0;l<this.data.x.length;l++){let[c,h]=this.place(this.data.x[l],this.data.y[l]),u=Math.hypot(c-s,h-r);u<o&&([o,a]=[u,l])}a<0||(this.player.play(!1),this.player.seek(this.data.t[a]))}};function v_(i){let t=1/0,e=-1/0;for(let s=0;s<i.length;s++)Number.isFinite(i[s])&&(t=Math.min(t,i[s]),e=Math.max(e,i[s]));if(e<t)return[-1,1];if(!(e>t))return[t-1,t+1];let n=.05*(e-t);return[t-n,e+n]}var S_={error:"energy error",energies:"energies",work:"work",residuals:"constraint residuals"},P1=["error","energies","residuals"],I1=6,au=class{root;data;arrays;player;times;timeUnit;list;drawn=new Map;palette;constructor(t,e,n,s){this.data=t,this.arrays=e,this.player=n,this.palette=s,this.times=t.coordinates?e.read(t.coordinates.t):[],this.timeUnit=t.kind==="run"?"s":"",this.list=vt("div",{class:"plots"});let r=Ls("Add a plot",[["","add a plot …"],...this.choices()],"",o=>{o&&this.show(o),r.value=""});this.root=vt("div",{class:"plot-column"},[vt("div",{class:"plot-chooser"},[r]),this.list])}choices(){let t=[],e=new Set((this.data.series?.channels??[]).map(s=>s.plot));for(let s of e)t.push([`series/${s}`,S_[s]??s]);this.data.residuals&&t.push(["residuals","residual of each constraint"]),this.data.sections.forEach((s,r)=>t.push([`section/${r}`,`section ${s.name}`]));let n=this.data.coordinates;return!n||n.left_out<0||(n.names.forEach((s,r)=>t.push([`q/${r}`,s])),n.qdot&&n.names.forEach((s,r)=>t.push([`qdot/${r}`,`rate of ${s}`])),n.p&&(n.momentumNames.forEach((s,r)=>t.push([`p/${r}`,s])),n.names.forEach((s,r)=>t.push([`phase/${r}`,`phase portrait of ${s}`])))),t}showFirst(){let t=this.choices().map(([n])=>n),e=P1.map(n=>`series/${n}`);this.data.kind==="hamiltonian"&&e.unshift("phase/0","section/0"),this.data.kind==="run"&&e.push("q/0");for(let n of e)t.includes(n)&&this.show(n)}show(t){let e=this.drawn.get(t);if(e){e.root.scrollIntoView({block:"nearest"});return}let n=this.make(t);if(!n)return;let s=vt("button",{text:"×",label:"Remove this plot",type:"button"});s.className="close",s.addEventListener("click",()=>{n.destroy(),this.drawn.delete(t)}),n.root.prepend(s),this.drawn.set(t,n),this.list.append(n.root),n.build()}make(t){let[e,n]=L1(t);return e==="series"?this.timePlot(this.seriesPlot(n)):e==="residuals"?this.timePlot(this.residualPlot()):e==="section"?this.sectionPlot(Number(n)):e==="phase"?this.phasePlot(Number(n)):this.timePlot(this.coordinatePlot(e,Number(n)))}timePlot(t){return t?new ou(t,this.player,this.palette):null}seriesPlot(t){let e=this.data.series,n=e?.channels.filter(a=>a.plot===t)??[];if(!e||!n.length)return null;let s=t==="residuals",r=n.map(a=>({name:a.name,values:this.arrays.read(a.values)})),o=n.length===1;return{title:o?n[0].name:S_[t]??t,unit:n[0].unit,timeUnit:this.timeUnit,t:this.arrays.read(e.t),lines:o?[{...r[0],name:""}]:r,isLogarithmic:s}}residualPlot(){let t=this.data.residuals;if(!t)return null;let e=this.arrays.read(t.log),n=t.names.length,s=this.arrays.read(t.t),r=l=>Array.from({length:s.length},(c,h)=>10**e[h*n+l]),o=t.names.map((l,c)=>({name:l,values:r(c)})),a=l=>l.values.reduce((c,h)=>Math.max(c,h),0);return o.sort((l,c)=>a(c)-a(l)),{title:"largest residuals",unit:"m or rad",timeUnit:this.timeUnit,t:s,lines:o.slice(0,I1),isLogarithmic:!0}}column(t,e){let n=this.data.coordinates?.[t];if(!n)return null;let s=this.arrays.read(n),r=n.shape[1];return Float64Array.from({length:n.shape[0]},(o,a)=>s[a*r+e])}coordinatePlot(t,e){let n=this.column(t,e),s=this.data.coordinates;if(!n||!s)return null;let r=t==="p"?s.momentumUnits[e]:s.units[e],o=t==="qdot"&&r?`${r}/s`:r,a=t==="p"?s.momentumNames[e]:s.names[e],l=t==="qdot"?`rate of ${a}`:a,c=t==="q"?s.limits?.[e]??[]:[],h=[{name:c.length?`limits ${c.map(u=>ke(u)).join(", ")};`:"",values:n}];return{title:l,unit:o,timeUnit:this.timeUnit,t:this.times,lines:h,limits:c}}phasePlot(t){let[e,n]=[this.column("q",t),this.column("p",t)],s=this.data.coordinates;if(!e||!n||!s)return null;let r=(a,l)=>l?`${a} / ${l}`:a,o={title:`phase portrait of ${s.names[t]}`,xName:r(s.names[t],s.units[t]),yName:r(s.momentumNames[t],s.momentumUnits[t]),t:this.times,x:e,y:n,isSection:!1};return new ol(o,this.player,this.palette,this.portraitHeight())}sectionPlot(t){let e=this.data.sections[t];if(!e)return null;let n=this.arrays.read(e.values),s=e.columns.length,r=s>>1,o=l=>Float64Array.from({length:n.length/s},(c,h)=>n[h*s+l]),a={title:`section ${e.name}`,xName:e.columns[0],yName:e.columns[r],t:this.arrays.read(e.t),x:o(0),y:o(r),isSection:!0};return new ol(a,this.player,this.palette,this.portraitHeight())}portraitHeight(){return this.data.kind==="hamiltonian"?Math.min(440,Math.max(260,innerHeight-330)):230}update(){for(let t of this.drawn.values())t.update()}resize(){for(let t of this.drawn.values())t.resize()}paint(t){this.palette=t;for(let e of this.drawn.values())e.paint(t)}};function L1(i){let t=i.indexOf("/");return t<0?[i,""]:[i.slice(0,t),i.slice(t+1)]}var M_=.008,D1=.0012,b_=4;function w_(i,t,e){let{canvas:n}=i.stage,s=new Map,r=0;n.addEventListener("pointerdown",a=>{n.setPointerCapture(a.pointerId),s.set(a.pointerId,a),r=s.size>1?b_:0}),n.addEventListener("pointermove",a=>{let l=s.get(a.pointerId);if(!l)return;let c=a.clientX-l.clientX,h=a.clientY-l.clientY;r+=Math.abs(c)+Math.abs(h);let{stage:u}=i;if(s.size===1){let d=a.buttons&6||a.shiftKey;i.camera=d?Tu(i.camera,u.up,c,h,u.width,u.height):_p(i.camera,M_*c,M_*h),d&&(i.followed={kind:"nothing"})}else{let d=[...s.values()].find(f=>f.pointerId!==a.pointerId);if(d){let f=Math.hypot(l.clientX-d.clientX,l.clientY-d.clientY),g=Math.hypot(a.clientX-d.clientX,a.clientY-d.clientY);f>0&&g>0&&(i.camera=Au(i.camera,f/g)),i.camera=Tu(i.camera,u.up,c/2,h/2,u.width,u.height)}}s.set(a.pointerId,a),t()});let o=a=>{if(!(s.delete(a.pointerId)&&r<b_&&a.type==="pointerup"))return;let c=n.getBoundingClientRect();e(a.clientX-c.left,a.clientY-c.top)};n.addEventListener("pointerup",o),n.addEventListener("pointercancel",o),n.addEventListener("contextmenu",a=>a.preventDefault()),n.addEventListener("wheel",a=>{a.preventDefault(),i.camera=Au(i.camera,Math.exp(D1*a.deltaY)),t()},{passive:!1})}var N1=["good","determined","doubtful","bad"];function A_(i){let{report:t}=i;if(!t?.lines.length)return null;let e=vt("h2",{text:"report "},[T_(t.verdict)]);return vt("section",{class:"report",label:"Report"},[e,...t.lines.map(U1)])}function U1(i){let t=[i.number,i.scale].filter(Boolean).join(" "),e=vt("summary",{},[vt("span",{class:"name",text:i.name}),vt("span",{class:"number",text:t}),T_(i.verdict)]),n=vt("details",{},[e,vt("p",{text:i.sentence})]);return n.open=F1(i),n}function F1(i){return i.verdict==="note"?!i.number:i.verdict!=="good"}function O1(i){return N1.includes(i)?i:"remark"}function T_(i){return vt("span",{class:`verdict ${O1(i)}`,text:i})}var lu=class{kind="none";index=-1;listeners=[];get isAny(){return this.kind!=="none"}onChange(t){this.listeners.push(t)}choose(t,e){let n=this.kind===t&&this.index===e;this.kind=n?"none":t,this.index=n?-1:e;for(let s of this.listeners)s()}};function E_(i){let{player:t}=i,{start:e,end:n}=t.clock,s=r=>{i.root.classList.toggle(`no-${r}`),i.resize()};return[{keys:[" ","k"],label:"play or pause",act:()=>t.toggle()},{keys:["ArrowRight"],label:"one frame on",act:()=>t.step(1)},{keys:["ArrowLeft"],label:"one frame back",act:()=>t.step(-1)},{keys:["Home"],label:"to the start",act:()=>t.seek(e)},{keys:["End"],label:"to the end",act:()=>t.seek(n)},{keys:["+","="],label:"faster",act:()=>t.changeSpeed(1)},{keys:["-"],label:"slower",act:()=>t.changeSpeed(-1)},{keys:["l"],label:"repeat or not",act:()=>t.setLooping(!t.isLooping)},{keys:["r"],label:"the first view again",act:()=>i.resetCamera()},{keys:["1"],label:"look along x",act:()=>i.lookAlong("x")},{keys:["2"],label:"look along y",act:()=>i.lookAlong("y")},{keys:["3"],label:"look along z",act:()=>i.lookAlong("z")},{keys:["o"],label:"parallel projection or perspective",act:()=>i.press("ortho")},{keys:["t"],label:"trails",act:()=>i.press("trails")},{keys:["j"],label:"joints",act:()=>i.press("joints")},{keys:["a"],label:"axes of bodies",act:()=>i.press("axes")},{keys:["n"],label:"names of bodies",act:()=>i.press("names")},{keys:["g"],label:"ground",act:()=>i.press("ground")},{keys:["f"],label:"follow the selected body, or nothing",act:()=>B1(i)},{keys:["b"],label:"parts at the left",act:()=>s("left")},{keys:["p"],label:"plots at the right",act:()=>s("right")},{keys:["d"],label:"dark or light",act:()=>i.switchTheme()},{keys:["s"],label:"save a picture (PNG)",act:()=>{i.snapshot()}},{keys:["Escape"],label:"select nothing",act:()=>i.selection.choose("none",-1)},{keys:["?"],label:"this list",act:()=>i.showHelp()}]}function B1(i){let{selection:t,picture:e}=i,n=e.followed.kind==="nothing";i.follow(n&&t.kind==="body"?t.index:null)}var k1=200;function C_(i,t,e,n){let s=[],r=[];i.coordinates.slice(0,k1).forEach((a,l)=>{let c=i.dimensions[l]==="angle",h=c?Math.PI:i.dimensions[l]==="number"?1:e,u=i.dimensions[l]==="number"?0:i.start[l],d=vt("input",{type:"range",label:a});d.min=String(u-h),d.max=String(u+h),d.step="any";let f=vt("output",{}),g=()=>{d.value=String(t[l]),f.textContent=`${ke(t[l],3)}${c?" rad":i.dimensions[l]==="length"?" m":""}`};d.addEventListener("input",()=>{t[l]=Number(d.value),g(),n()}),s.push(()=>{t[l]=i.start[l],g()}),g(),r.push(vt("label",{class:"slider"},[vt("span",{text:a}),d,f]))});let o=gn("reset","Back to the start values",()=>{for(let a of s)a();n()});return vt("section",{class:"sliders",label:"Joints"},[...r,o])}function Bf(i,t,e){let n=e??document.createElement("canvas");n.width!==i.width&&(n.width=i.width),n.height!==i.height&&(n.height=i.height);let s=n.getContext("2d"),r=s.createLinearGradient(0,0,0,n.height);return r.addColorStop(0,t.top),r.addColorStop(1,t.bottom),s.fillStyle=r,s.fillRect(0,0,n.width,n.height),s.drawImage(i,0,0),n}async function R_(i,t){let e=Bf(i,t);return new Promise((n,s)=>e.toBlob(r=>r?n(r):s(new Error("no picture")),"image/png"))}function kf(i,t){let e=document.createElement("a");e.href=URL.createObjectURL(i),e.download=t,e.click(),setTimeout(()=>URL.revokeObjectURL(e.href),1e4)}function zf(i,t){return`${i.replace(/[^\p{L}\p{N}]+/gu,"-").replace(/^-+|-+$/g,"")||"hamiltree"}.${t}`}function P_(){return typeof MediaRecorder<"u"&&MediaRecorder.isTypeSupported("video/webm")}var cu=class{canvas=document.createElement("canvas");chunks=[];recorder;constructor(t,e){Bf(t,e,this.canvas);let n=this.canvas.captureStream(30);this.recorder=new MediaRecorder(n,{mimeType:"video/webm",videoBitsPerSecond:8e6}),this.recorder.addEventListener("dataavailable",s=>this.chunks.push(s.data)),this.recorder.start()}draw(t,e){Bf(t,e,this.canvas)}stop(){return new Promise(t=>{this.recorder.addEventListener("stop",()=>t(new Blob(this.chunks,{type:"video/webm"}))),this.recorder.stop()})}};var I_={dark:{top:"#1d2636",bottom:"#0d121b",sky:"#f4f7ff",earth:"#48526a",grid:"#8294b4",ink:"#e6ebf2",faint:"#3a4559",accent:"#ffb454",lines:["#7cc4ff","#ff9d7a","#8fdba6","#ffd479","#c9a7f0","#6fd6d2","#f58fb0","#b8c4d6"]},light:{top:"#ffffff",bottom:"#e6ebf1",sky:"#ffffff",earth:"#b8bec9",grid:"#7c899c",ink:"#1c2530",faint:"#d5dbe3",accent:"#b3570a",lines:["#1f6fb2","#c8502b","#2f8554","#9a6b00","#7146a8","#0f7f7c","#b8315f","#566274"]}};function L_(){return matchMedia("(prefers-color-scheme: light)").matches?"light":"dark"}function D_(){return matchMedia("(prefers-reduced-motion: reduce)").matches}var Vf=1e4;function U_(i,t){let{start:e,end:n}=i.clock,s=n-e||1,r=gn("▶","Play or pause (space)",()=>i.toggle());r.className="play";let o=vt("input",{type:"range",label:"Time",class:"scrub"});o.min="0",o.max=String(Vf),o.step="any",o.addEventListener("input",()=>{let f=e+Number(o.value)/Vf*s;i.play(!1),i.seek(f)});let a=vt("output",{class:"clock",label:"Time"}),l=of.map(f=>[String(f),`${f}×`]),c=Ls("Speed",l,"1",f=>i.setSpeed(Number(f))),h=us("⟲","Repeat (L)",i.isLooping,f=>i.setLooping(f)),u=vt("span",{class:"pace"}),d=()=>{r.textContent=i.isPlaying?"❚❚":"▶",r.setAttribute("aria-pressed",String(i.isPlaying)),o.value=String((i.time-e)/s*Vf),o.setAttribute("aria-valuetext",`${ke(i.time)} ${t}`),a.textContent=`${N_(i.time,s)} / ${N_(n,s)} ${t}`,c.value!==String(i.speed)&&(c.value=String(i.speed)),h.setAttribute("aria-pressed",String(i.isLooping)),u.textContent=i.pace===1?"":`1× = ${ke(i.pace,2)} ${t} of the run per second`};return i.onChange(d),d(),vt("div",{class:"timeline",label:"Timeline"},[gn("|◂","To the start (Home)",()=>i.seek(e)),gn("◂","One frame back (←)",()=>i.step(-1)),r,gn("▸","One frame on (→)",()=>i.step(1)),o,a,c,h,u])}function N_(i,t){let e=Math.max(0,Math.min(9,Math.ceil(-Math.log10(t/1e3))));return e>6?ke(i,4):i.toFixed(e).replace("-","−")}function F_(i){let t=Gf("View",[gn("home","The first view again (R)",()=>i.resetCamera()),...["x","y","z"].map((e,n)=>gn(e,`Look along ${e} (${n+1})`,()=>i.lookAlong(e))),us("ortho","Parallel projection (O)",!1,e=>i.setOrthographic(e)),z1(i)]);return t.querySelector("[aria-pressed]")?.setAttribute("data-key","ortho"),vt("div",{class:"toolbar"},[t,V1(i),W1(i)])}function z1(i){let t=i.world.data.scene.bodies.map((r,o)=>[String(o),`follow ${r}`]),e=i.picture.followed.kind==="all"?"all":"",n=[["","follow nothing"],["all","follow all"],...t.slice(0,400)],s=Ls("Follow",n,e,r=>{i.follow(r===""?null:r==="all"?"all":Number(r))});return s.dataset.key="follow",s}function V1(i){let{picture:t}=i,{data:e}=i.world,n=e.kind==="run",s=[us("joints","Show joints (J)",!0,r=>i.change(()=>t.setJoints(r))),us("axes","Show the axes of all bodies (A)",!1,r=>i.change(()=>t.setFrames(r))),us("names","Show names of bodies (N)",!1,r=>i.change(()=>i.labels.set(r))),us("ground","Show the ground (G)",!0,r=>i.change(()=>t.setGround(r)))];n&&(s.unshift(us("trails","Trail of the selected body, or of those at the ends (T)",t.hasTrails,r=>i.change(()=>t.setTrails(r)))),s.push(G1(i),H1(i)));for(let r of s)r.dataset.key??=r.textContent??"";return Gf("Show",s)}function G1(i){let t=[["none","no arrows"],["momenta","momenta"],["velocities","velocities"]];i.world.data.reactions&&t.push(["reactions","reactions"]);let e=Ls("Arrows",t,"none",n=>i.change(()=>i.picture.setArrows(n)));return e.dataset.key="arrows",e}function H1(i){let t=[["own","own colours"]];i.world.data.cards.length&&t.push(["energy","by energy"]),i.world.data.residuals&&t.push(["residual","by residual"]);let e=Ls("Colours",t,"own",n=>i.setColors(n));return e.dataset.key="colors",e}function W1(i){let t=gn("film","Record one run of the time as WebM",()=>{i.film()});return t.dataset.key="film",Gf("Files",[gn("PNG","Save this picture (S)",()=>{i.snapshot()}),t])}function Gf(i,t){let e=vt("div",{class:"group",label:i},t);return e.setAttribute("role","group"),e.removeAttribute("title"),e}var X1=2e3;function q1(i){let t=[],e=new Map;i.joints.forEach(({parent:o,child:a,closesLoop:l},c)=>{if(!l)for(let h of new Set([o,a])){let u=e.get(h);u?u.push(c):e.set(h,[c])}});let n=new Set,s=new Set,r=(o,a)=>{let l=[],c=(h,u)=>{for(let d of[...e.get(h)??[]].reverse())l.push([d,h,u])};for(n.add(o),c(o,a);l.length;){let[h,u,d]=l.pop();if(s.has(h))continue;s.add(h),t.push({kind:"joint",index:h,depth:d});let{parent:f,child:g}=i.joints[h],v=f===u?g:f;n.has(v)||(n.add(v),t.push({kind:"body",index:v,depth:d}),c(v,d+1))}};return r(-1,0),i.bodies.forEach((o,a)=>{n.has(a)||(t.push({kind:"body",index:a,depth:0}),r(a,1))}),i.joints.forEach((o,a)=>{s.has(a)||t.push({kind:"joint",index:a,depth:0})}),t}function O_(i,t){let e=[],n=vt("div",{class:"tree",label:"Bodies and joints"});n.setAttribute("role","tree");let s=(r,o,a)=>{if(e.length>=X1)return;let l=r==="body",c=l?i.bodies[o]:i.joints[o].name,h=vt("button",{text:c,type:"button",class:`row ${r}`});if(h.setAttribute("role","treeitem"),h.setAttribute("aria-level",String(a+1)),h.style.paddingLeft=`${8+10*Math.min(a,12)}px`,l){let u=vt("i",{class:"dot"});u.style.background=i.colors[o],h.prepend(u)}else h.append(vt("small",{text:i.joints[o].kind}));h.dataset.kind=r,h.dataset.index=String(o),h.addEventListener("click",()=>t.choose(r,o)),e.push(h),n.append(h)};for(let{kind:r,index:o,depth:a}of q1(i))s(r,o,a);return t.onChange(()=>{for(let r of e){let o=r.dataset.kind===t.kind&&Number(r.dataset.index)===t.index;r.setAttribute("aria-selected",String(o)),o&&r.scrollIntoView({block:"nearest"})}}),n}var $1=2,hu=class{root;world;player;picture;plots;selection=new lu;labels;shortcuts;theme;data;details;box;legend=vt("div",{class:"legend"});help;recording=null;isDirty=!0;lastTick=0;isReady=!1;isStopped=!1;constructor(t,e,n,s={}){if(e.format!==1)throw new Error(`format ${e.format} of the page is not known`);this.root=t,this.data=e,this.theme=s.theme??L_(),this.world=new Uh(e,n);let{motion:r}=this.world;this.player=new Wh({start:r.start,end:r.end,frames:r.frames.t});let o=vt("canvas",{class:"picture",label:`Moving picture of ${e.name}`});o.tabIndex=0,o.setAttribute("role","img"),this.box=vt("div",{class:"stage"},[o]),this.picture=new Hh(o,this.world,n,this.selection,this.palette),this.plots=new au(e,n,this.player,this.palette),this.details=new ml(this.world,n,this.selection),this.labels=new fl(this.picture),this.shortcuts=E_(this),this.help=this.buildHelp(),this.layOut(),this.listen(s.keys??window),this.setTheme(this.theme),s.time!==void 0&&this.player.seek(s.time)}get palette(){return I_[this.theme]}get hasPicture(){return this.world.bodies>0}layOut(){let{data:t}=this,e=vt("aside",{class:"left",label:"Parts"});if(t.kinematics&&this.world.q){let{size:l}=t.scene;e.append(C_(t.kinematics,this.world.q,l,()=>this.refresh()))}e.append(this.details.root,O_(t.scene,this.selection));let n=A_(t),s=vt("aside",{class:"right",label:"Report, figures and plots"},[...n?[n]:[],Mp(t),this.plots.root]);this.box.append(this.labels.root,F_(this),this.legend);let r=vt("main",{},this.hasPicture?[e,this.box,s]:[s]);this.root.classList.add("hamiltree"),this.root.classList.toggle("plots-only",!this.hasPicture),this.root.replaceChildren(this.buildHeader(),r);let o=this.player.clock.end>this.player.clock.start,a=t.kind==="run"?"s":"";o&&this.root.append(U_(this.player,a)),this.root.append(this.help)}buildHeader(){let t=e=>{this.root.classList.toggle(`no-${e}`),this.resize()};return vt("header",{},[vt("h1",{text:this.data.name}),vt("p",{text:this.data.subtitle}),vt("div",{class:"group"},[gn("parts","Show or hide the parts (B)",()=>t("left")),gn("plots","Show or hide the plots (P)",()=>t("right")),gn("◐","Dark or light (D)",()=>this.switchTheme()),gn("?","Keys (?)",()=>this.help.showModal())])])}buildHelp(){let t=this.shortcuts.map(({keys:n,label:s})=>vt("tr",{},[vt("th",{text:n.map(r=>r===" "?"space":r).join("  ")}),vt("td",{text:s})])),e=vt("dialog",{class:"help",label:"Keys"},[vt("h2",{text:"Keys and gestures"}),vt("table",{},[vt("tbody",{},t)]),vt("p",{text:"Drag to turn, shift-drag or two fingers to move, wheel or pinch to zoom. Click a body or joint to read its values. In a plot: click to jump, drag to zoom, double click for all."}),gn("close","Close",()=>e.close())]);return e}listen(t){this.player.onChange(()=>this.refresh()),this.selection.onChange(()=>{this.picture.hasTrails&&this.picture.setTrails(!0),this.refresh()}),vp(t,this.shortcuts),w_(this.picture,()=>this.refresh(),(e,n)=>this.click(e,n)),new ResizeObserver(()=>this.resize()).observe(this.hasPicture?this.box:this.root)}click(t,e){let n=this.picture.pick(t,e);n&&n.kind!=="none"?this.selection.choose(n.kind,n.index):this.selection.isAny&&this.selection.choose("none",-1)}start(){this.resize(),this.resetCamera(),this.plots.showFirst(),this.isReady=!0;let t=e=>{if(this.isStopped)return;let n=this.lastTick?Math.min(.25,(e-this.lastTick)/1e3):0;this.lastTick=e,this.player.advance(n),this.isDirty&&this.draw(),requestAnimationFrame(t)};this.draw(),requestAnimationFrame(t)}stop(){this.isStopped=!0,this.picture.stage.renderer.dispose(),this.picture.stage.renderer.forceContextLoss()}refresh(){this.isDirty=!0}change(t){t(),this.refresh()}resize(){let{clientWidth:t,clientHeight:e}=this.box;if(this.hasPicture&&t&&e){let n=Math.min(devicePixelRatio,$1);this.picture.resize(t,e,n)}this.isReady&&this.plots.resize(),this.refresh()}draw(){this.isDirty=!1;let{time:t}=this.player;this.hasPicture&&(this.picture.draw(t,this.player.speed*this.player.pace),this.labels.update(),this.showLegend(),this.recording?.draw(this.picture.stage.canvas,this.palette)),this.details.update(t),this.plots.update(),this.root.dataset.drawn=String(Number(this.root.dataset.drawn??0)+1),this.root.dataset.time=String(t)}resetCamera(){let t=this.picture.camera.isOrthographic;this.picture.camera={...this.picture.homeCamera(),isOrthographic:t},this.refresh()}lookAlong(t){this.picture.camera=xp(this.picture.camera,t),this.picture.frameAll(),this.refresh()}setOrthographic(t){this.picture.camera={...this.picture.camera,isOrthographic:t},this.refresh()}follow(t){t===null?this.picture.followed={kind:"nothing"}:this.picture.followed=t==="all"?{kind:"all"}:{kind:"body",body:t},this.refresh()}setColors(t){this.picture.coloring.mode=t,this.refresh()}showLegend(){let t=this.picture.coloring.legend();this.legend.hidden=!t,t&&this.legend.replaceChildren(vt("span",{text:t.title}),vt("span",{text:t.low}),vt("i",{class:"ramp"}),vt("span",{text:t.high}))}switchTheme(){this.setTheme(this.theme==="dark"?"light":"dark")}setTheme(t){this.theme=t,this.root.dataset.theme=t,this.picture.paint(this.palette),this.plots.paint(this.palette),this.refresh()}async snapshot(){this.draw();let t=await R_(this.picture.stage.canvas,this.palette);return kf(t,zf(this.data.name,"png")),t}async film(){let{player:t,picture:e}=this;if(!P_()||this.recording)return null;this.root.classList.add("filming");let{isLooping:n}=t;t.setLooping(!1),t.seek(t.clock.start),this.recording=new cu(e.stage.canvas,this.palette),t.play(!0),await new Promise(r=>{t.onChange(()=>{t.isPlaying||r()})});let s=await this.recording.stop();return this.recording=null,t.setLooping(n),this.root.classList.remove("filming"),kf(s,zf(this.data.name,"webm")),s}press(t){this.box.querySelector(`[data-key="${t}"]`)?.click()}showHelp(){this.help.showModal()}pixelOf(t,e){let{camera:n,stage:s}=this.picture;return dl(n,s.up,this.world.point(t,e),s.width,s.height)}};function Z1(i){let t=atob(i.trim()),e=new Uint8Array(t.length);for(let n=0;n<t.length;n++)e[n]=t.charCodeAt(n);return e}async function J1(i){let t=new Blob([i]).stream().pipeThrough(new DecompressionStream("deflate"));return new Response(t).arrayBuffer()}var uu=class i{content;constructor(t){this.content=t}static async fromBase64(t){return new i(await J1(Z1(t)))}read(t){return t.low&&t.step?this.rounded(t):this.plain(t)}floats(t){let e=this.read(t);return e instanceof Float32Array||e instanceof Float64Array?e:Float64Array.from(e)}plain(t){let e=t.shape.reduce((n,s)=>n*s,1);switch(t.type){case"float64":return new Float64Array(this.content,t.at,e);case"float32":return new Float32Array(this.content,t.at,e);case"uint32":return new Uint32Array(this.content,t.at,e);case"int32":return new Int32Array(this.content,t.at,e);case"uint16":return new Uint16Array(this.content,t.at,e)}}rounded(t){let e=this.plain(t.low),n=this.plain(t.step),s=this.plain(t),r=e.length,o=r?s.length/r:0,a=t.type==="uint32",l=a||!K1(e,n)?new Float64Array(s.length):new Float32Array(s.length);for(let c=0;c<r;c++){let h=0;for(let u=0;u<o;u++)h+=s[c*o+u],h=a?h>>>0:h&65535,l[u*r+c]=e[c]+n[c]*h}return l}};function K1(i,t){for(let e=0;e<i.length;e++)if(Math.max(Math.abs(i[e]),Math.abs(i[e]+t[e]*65535))>34e37||t[e]!==0&&Math.abs(t[e])<12e-39)return!1;return!0}function B_(i){return document.getElementById(i)?.textContent??""}async function j1(i){let t=JSON.parse(B_("hamiltree-document")),e=await uu.fromBase64(B_("hamiltree-arrays")),n=new URLSearchParams(location.hash.slice(1)),s=n.has("t")?Number(n.get("t")):void 0,r=n.get("theme"),o=r==="dark"||r==="light",a=new hu(i,t,e,{theme:o?r:void 0,time:Number.isFinite(s)?s:void 0});a.start(),window.hamiltree=a,i.dataset.ready="true",s===void 0&&t.kind==="run"&&!D_()&&a.player.play(!0)}var Hf=document.getElementById("hamiltree");Hf&&j1(Hf).catch(i=>{throw Hf.textContent=`This page cannot be shown: ${String(i)}`,i});})();
