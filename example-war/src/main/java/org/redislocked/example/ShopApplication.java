package org.redislocked.example;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** Puts the shop's resources under {@code api}. */
@ApplicationPath("api")
public class ShopApplication extends Application {}
