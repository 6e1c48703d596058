package io.taskexec.api.forecast;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.QueryText;
import io.taskexec.forecast.Forecast;
import io.taskexec.forecast.Forecasts;
import io.taskexec.model.OperationSummary;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** The forecast: what starts when, against caps and rates. */
@Path("/forecast")
@Produces(MediaType.APPLICATION_JSON)
public class ForecastResource {
    private static final int DEFAULT_HOURS = 24;
    private static final int MAX_HOURS = 168;
    private static final int DEFAULT_LIMIT = 20;
    private static final int MAX_LIMIT = 100;

    private final Forecasts forecasts;

    ForecastResource(Forecasts forecasts) {
        this.forecasts = forecasts;
    }

    @GET
    @Operation(
            operationId = "getForecast",
            summary = OperationSummary.GET_FORECAST,
            description = "Starts are counted by minute and endpoint: ticks of schedules, executions that wait for"
                    + " their time, and as many immediate jobs as at the same time of the day before. Limits of"
                    + " single flow keys are not compared. Proposals spread schedules that start together.")
    public Uni<Forecast> get(
            @RestQuery @Nullable String hours,
            @RestQuery @Nullable String endpoint,
            @RestQuery @Nullable String limit) {
        return forecasts.of(
                number("hours", hours, DEFAULT_HOURS, MAX_HOURS),
                endpoint,
                number("limit", limit, DEFAULT_LIMIT, MAX_LIMIT));
    }

    private static int number(String name, @Nullable String text, int fallback, int most) {
        try {
            var number = text == null ? fallback : Integer.parseInt(text);
            if (number >= 1 && number <= most) {
                return number;
            }
        } catch (NumberFormatException _) {
            // The message below says it.
        }
        throw QueryText.invalid(name, "a whole number from 1 to " + most);
    }
}
