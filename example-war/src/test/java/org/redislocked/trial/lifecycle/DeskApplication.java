package org.redislocked.trial.lifecycle;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** Puts the resources at the root of the WAR. */
@ApplicationPath("")
public class DeskApplication extends Application {}
