package org.redislocked.trial;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.Stream;

/** Lists the cases and runs them. */
@ApplicationScoped
@Path("cases")
@Produces(MediaType.APPLICATION_JSON)
public class CasesResource {

    @Inject
    BeanManager beans;

    /** {@return the class and the method of each case} */
    @GET
    public JsonObject list() {
        var cases = Json.createArrayBuilder();
        beans().flatMap(bean -> Arrays.stream(bean.getBeanClass().getMethods()))
                .filter(method -> method.isAnnotationPresent(InContainer.class))
                .sorted(Comparator.comparing(
                                (Method method) -> method.getDeclaringClass().getSimpleName())
                        .thenComparing(Method::getName))
                .map(method -> Json.createObjectBuilder()
                        .add("class", method.getDeclaringClass().getSimpleName())
                        .add("method", method.getName()))
                .forEach(cases::add);
        return Json.createObjectBuilder().add("cases", cases).build();
    }

    /** Runs a public method of a class with cases; it need not be a case itself: another node may ask for it. */
    @POST
    @Path("{class}/{method}")
    public JsonObject run(@PathParam("class") String className, @PathParam("method") String methodName)
            throws IllegalAccessException {
        Bean<?> bean = beans().filter(
                        candidate -> candidate.getBeanClass().getSimpleName().equals(className))
                .findFirst()
                .orElseThrow(() -> new NotFoundException("no bean " + className));
        var outcome = Json.createObjectBuilder();
        try {
            Method method = bean.getBeanClass().getMethod(methodName);
            Object called = beans.getReference(bean, bean.getBeanClass(), beans.createCreationalContext(bean));
            Object result = method.invoke(called);
            return outcome.add("outcome", "passed")
                    .add("result", String.valueOf(result))
                    .build();
        } catch (NoSuchMethodException e) {
            throw new NotFoundException(e);
        } catch (InvocationTargetException e) {
            Throwable problem = e.getCause();
            if (problem instanceof NotApplicable) {
                return outcome.add("outcome", "not applicable")
                        .add("text", problem.getMessage())
                        .build();
            }
            return outcome.add("outcome", "failed").add("text", trace(problem)).build();
        }
    }

    /** {@return the beans of the package of the cases} */
    private Stream<Bean<?>> beans() {
        return beans.getBeans(Object.class, Any.Literal.INSTANCE).stream()
                .filter(bean -> bean.getBeanClass().getName().startsWith("org.redislocked.trial.cases."))
                .filter(bean -> bean.getTypes().contains(bean.getBeanClass()));
    }

    private static String trace(Throwable problem) {
        var text = new StringWriter();
        problem.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
